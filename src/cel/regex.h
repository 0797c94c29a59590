#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cel {

// A regular expression of the RE2 kind, over bytes: literals, '.', classes, \d \w \s and their opposites, anchors, groups,
// alternatives, * + ? {m,n}. No back references, so matching takes time in proportion to text times expression, never more.
class Regex {
 public:
  static Result<Regex> compile(std::string_view pattern);

  // Whether the pattern occurs anywhere in the text.
  bool search(std::string_view text) const;
  std::size_t size() const { return program_.size(); }

 private:
  using Bytes = std::array<std::uint64_t, 4>;  // a set of bytes
  struct Step {
    enum class Kind : std::uint8_t { kBytes, kSplit, kJump, kBegin, kEnd, kWordEdge, kNoWordEdge, kMatch };
    Kind kind = Kind::kMatch;
    Bytes bytes{};
    std::uint32_t next = 0;
    std::uint32_t other = 0;
  };
  class Compiler;
  struct Threads;
  void follow(Threads& threads, std::uint32_t step, std::string_view text, std::size_t at) const;

  std::vector<Step> program_;
};

}  // namespace muster::cel
