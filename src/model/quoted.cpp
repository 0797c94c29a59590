#include "model/quoted.h"

namespace muster {

namespace {

std::string on_one_line(std::string_view text) {
  std::string out(text);
  for (auto& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

}  // namespace

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 253;  // the longest name that Kubernetes allows
  if (text.size() <= kLongest) return on_one_line(text);
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return on_one_line(text.substr(0, end)) + "…";
}

std::string quoted(std::string_view text) { return "\"" + shortened(text) + "\""; }

std::string in_quotes(std::string_view text) { return std::string("\"").append(text).append("\""); }

}  // namespace muster
