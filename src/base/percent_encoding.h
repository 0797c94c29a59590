#pragma once

#include <string>
#include <string_view>

namespace muster {

// Text as a part of an address: letters, digits, "-_.~" and what is in `plain` stay, every other byte becomes "%XX".
std::string percent_encoded(std::string_view text, std::string_view plain = {});

}  // namespace muster
