#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.h"

namespace muster {

// The text of a scalar where a configuration wants a text: any scalar will do, and null is the empty one. Only the spelling of
// numbers and booleans is lost (yes reads as true). Nothing for lists and maps.
std::optional<std::string> text_of_scalar(const Value& value);

// The parts of a text between commas, without blanks around them; "a," has two. Each remembers where in the list it stands.
std::vector<Value> split_names(const Value& list, std::string_view text);

}  // namespace muster
