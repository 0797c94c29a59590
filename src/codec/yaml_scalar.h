#pragma once

#include <string>
#include <string_view>

#include "model/value.h"

namespace muster {

// What a plain (unquoted) scalar means, by the rules of the YAML 1.1 reader that Kubernetes tools use. Whatever is neither null,
// boolean, integer nor float is a string; integers beyond 64 bits are floats.
Value::Data resolve_plain_scalar(std::string_view text);

// A scalar as the name of a field: "8080" for the integer, "true" for yes. Lists and maps have none and yield an empty text.
std::string scalar_text(const Value& scalar);

}  // namespace muster
