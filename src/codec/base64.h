#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// The bytes of a base64 text with or without line breaks; nothing when it is not one.
std::optional<std::string> base64_decoded(std::string_view text);
std::string base64_encoded(std::string_view bytes);

}  // namespace muster
