#include "model/quoted.h"

namespace muster {

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 253;  // the longest name that Kubernetes allows
  if (text.size() <= kLongest) return std::string(text);
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return std::string(text.substr(0, end)) + "…";
}

std::string quoted(std::string_view text) { return "\"" + shortened(text) + "\""; }

}  // namespace muster
