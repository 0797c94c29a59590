#include "app/printable_text.h"

namespace muster {

std::string printable(std::string_view text) {
  std::string out(text);
  for (auto& c : out)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) c = '?';
  return out;
}

std::string count_of(std::size_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

}  // namespace muster
