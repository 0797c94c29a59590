#include "codec/positions.h"

#include <algorithm>
#include <cstring>

namespace muster {
namespace {

// Characters, not bytes: every byte counts but the continuation bytes 10xxxxxx.
std::uint64_t count_characters(std::string_view text) {
  std::uint64_t continuations = 0;
  std::size_t at = 0;
  constexpr std::uint64_t kLows = 0x0101010101010101;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    continuations += (((word >> 7) & (~word >> 6) & kLows) * kLows) >> 56;  // adds up the eight bits
  }
  for (; at < text.size(); ++at) continuations += (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80 ? 1 : 0;
  return text.size() - continuations;
}

}  // namespace

TextPositions::TextPositions(std::string_view text, std::string file, std::uint64_t first_line)
    : text_(text), first_line_(first_line), location_{std::move(file), first_line, 1} {}

const Location& TextPositions::at(std::size_t offset) {
  offset = std::min(offset, text_.size());
  if (offset < reached_) {
    reached_ = 0;
    location_.line = first_line_;
    location_.column = 1;
  }
  while (reached_ < offset) {
    const void* newline = std::memchr(text_.data() + reached_, '\n', offset - reached_);
    if (newline == nullptr) break;
    reached_ = static_cast<std::size_t>(static_cast<const char*>(newline) - text_.data()) + 1;
    ++location_.line;
    location_.column = 1;
  }
  location_.column += count_characters(text_.substr(reached_, offset - reached_));
  reached_ = offset;
  return location_;
}

const Location& MappedPositions::at(std::size_t offset) {
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), offset, [](std::size_t o, const Mark& m) { return o < m.offset; });
  const bool known = after != marks_.begin();
  location_.line = known ? std::prev(after)->line : 0;
  location_.column = known ? std::prev(after)->column : 0;
  return location_;
}

Location locate(std::string_view text, std::size_t offset, std::string file) {
  return TextPositions(text, std::move(file)).at(offset);
}

}  // namespace muster
