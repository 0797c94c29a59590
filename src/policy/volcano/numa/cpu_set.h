#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::volcano {

// A set of CPU numbers.
class CpuSet {
 public:
  static constexpr std::int64_t kMostCpus = 1 << 16;  // larger numbers are nobody's

  // "0-3,8"; an empty text is the empty set. Nothing when it is no such list.
  static std::optional<CpuSet> parse(std::string_view text);

  void insert(std::size_t cpu) {
    if (cpu / 64 >= words_.size()) words_.resize(cpu / 64 + 1);
    words_[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
  }
  bool contains(std::size_t cpu) const { return cpu / 64 < words_.size() && ((words_[cpu / 64] >> (cpu % 64)) & 1) != 0; }
  std::size_t size() const {
    std::size_t count = 0;
    for (const auto word : words_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }
  bool empty() const { return size() == 0; }

  void add(const CpuSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t w = 0; w < other.words_.size(); ++w) words_[w] |= other.words_[w];
  }
  void subtract(const CpuSet& other) {
    for (std::size_t w = 0; w < words_.size() && w < other.words_.size(); ++w) words_[w] &= ~other.words_[w];
  }

  // Calls f(cpu) in ascending order.
  template <class F>
  void for_each(F f) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (auto word = words_[w]; word != 0; word &= word - 1) f(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace muster::volcano
