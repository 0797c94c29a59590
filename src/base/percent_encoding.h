#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// Text as a part of an address: letters, digits, "-_.~" and what is in `plain` stay, every other byte becomes "%XX".
std::string percent_encoded(std::string_view text, std::string_view plain = {});

// The other way round: every "%XX" becomes its byte. Nothing when a "%" is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace muster
