#include "base/percent_encoding.h"

namespace muster {

std::string percent_encoded(std::string_view text, std::string_view plain) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos || plain.find(c) != std::string_view::npos)
      out += c;
    else
      out.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
  return out;
}

}  // namespace muster
