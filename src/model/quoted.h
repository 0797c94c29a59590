#pragma once

#include <string>
#include <string_view>

namespace muster {

// A text from outside as it goes into a message: without control characters and line ends, and cut, with an ellipsis, where it is
// longer than anyone reads.
std::string shortened(std::string_view text);

// The same in double quotes.
std::string quoted(std::string_view text);
// For a std::string, std::quoted would be found and taken wherever a header has brought <iomanip>.
inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }
inline std::string quoted(std::string& text) { return quoted(std::string_view(text)); }

// Any text in double quotes, unchanged: for sentences that must read as others write them.
std::string in_quotes(std::string_view text);

}  // namespace muster
