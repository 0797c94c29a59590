#include "app/printable_text.h"

namespace muster {
namespace {

// How many bytes of a character that steers terminals begin here; 0 when none does. Besides the ASCII controls these are U+0080 to
// U+009F, line and paragraph separators, and what turns the direction of writing.
std::size_t steering_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9f) return 2;
  if (byte(0) != 0xE2) return 0;
  const bool separator_or_turn = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;
  const bool isolate = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return separator_or_turn || isolate ? 3 : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto steering = steering_bytes(text);
    out += steering == 0 ? text.front() : '?';
    text.remove_prefix(steering == 0 ? 1 : steering);
  }
  return out;
}

std::string count_of(std::size_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

}  // namespace muster
