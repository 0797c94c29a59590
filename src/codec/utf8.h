#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

// The bytes that the first character of a text takes, 1 to 4, or 0 when it is not well-formed UTF-8 (overlong forms,
// surrogates and values beyond U+10FFFF included) or the text is empty.
std::size_t utf8_length(std::string_view text);

// The offset of the first byte that is not well-formed UTF-8, if there is one. Good texts are checked at the speed of memory.
std::optional<std::size_t> find_bad_utf8(std::string_view text);

// The offset of the first control character that neither JSON nor YAML allows, if there is one: all but tab and the ends of lines.
std::optional<std::size_t> find_control(std::string_view text);

// Appends a code point. Surrogates and values beyond U+10FFFF become U+FFFD.
void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace muster
