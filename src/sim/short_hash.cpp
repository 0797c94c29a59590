#include "sim/short_hash.h"

#include <cstdint>

namespace muster::sim {

std::string short_hash(std::string_view text) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";  // that form no words
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  std::string out;
  constexpr int kLength = 10;
  for (int i = 0; i < kLength; ++i, hash /= kLetters.size()) out += kLetters[hash % kLetters.size()];
  return out;
}

}  // namespace muster::sim
