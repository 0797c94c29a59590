#pragma once

#include <string>

#include "model/value.h"

namespace muster {

// A configuration document as JSON. Keys that are no strings are written as the text that stands for them; numbers that are not
// finite as null.
std::string json_of_value(const Value& value);

}  // namespace muster
