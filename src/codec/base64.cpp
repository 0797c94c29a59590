#include "codec/base64.h"

#include <cstdint>

namespace muster {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_break(char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; }

}  // namespace

std::optional<std::string> base64_decoded(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (is_break(c)) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++digits % 4 == 0)
      for (const int shift : {16, 8, 0}) out += static_cast<char>(bits >> shift & 0xFF);
  }
  if ((digits + padding) % 4 != 0 || padding > 2 || digits % 4 == 1) return std::nullopt;
  if (digits % 4 == 2) out += static_cast<char>(bits >> 4 & 0xFF);
  if (digits % 4 == 3) {
    out += static_cast<char>(bits >> 10 & 0xFF);
    out += static_cast<char>(bits >> 2 & 0xFF);
  }
  return out;
}

std::string base64_encoded(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u; };
    const std::uint32_t bits = static_cast<std::uint32_t>(byte(0)) << 16 | static_cast<std::uint32_t>(byte(1)) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63];
  }
  return out;
}

}  // namespace muster
