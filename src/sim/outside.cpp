#include "sim/outside.h"

#include <fmt/format.h>

namespace muster::sim {

std::string Outside::time_text() const { return Timestamp{now().seconds, 0}.rfc3339(); }

std::string Outside::uuid() const {
  const auto a = random();
  const auto b = random();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32U, (a >> 16U) & 0xFFFFU, a & 0xFFFU,
                     0x8000U | ((b >> 48U) & 0x3FFFU), b & 0xFFFF'FFFF'FFFFU);
}

std::string Outside::name_suffix() const {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  auto bits = random();
  for (int i = 0; i < 5; ++i, bits /= kLetters.size()) out += kLetters[bits % kLetters.size()];
  return out;
}

}  // namespace muster::sim
