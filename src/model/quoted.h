#pragma once

#include <string>
#include <string_view>

namespace muster {

// A text from outside as it goes into a message: without control characters and line ends, and cut, with an ellipsis, where it is
// longer than anyone reads.
std::string shortened(std::string_view text);

// The same in double quotes.
std::string quoted(std::string_view text);

}  // namespace muster
