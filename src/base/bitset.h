#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster {

// A set of dense indices, one bit each. Bits beyond size() are always zero, so words can be combined blindly.
class Bitset {
 public:
  static constexpr std::size_t kWordBits = 64;

  Bitset() = default;
  explicit Bitset(std::size_t size, bool value = false) { resize(size, value); }

  void resize(std::size_t size, bool value = false) {
    size_ = size;
    words_.assign((size + kWordBits - 1) / kWordBits, value ? ~std::uint64_t{0} : 0);
    if (value && size % kWordBits != 0) words_.back() = (std::uint64_t{1} << (size % kWordBits)) - 1;
  }
  std::size_t size() const { return size_; }

  bool test(std::size_t i) const { return (words_[i / kWordBits] >> (i % kWordBits)) & 1; }
  void set(std::size_t i) { words_[i / kWordBits] |= std::uint64_t{1} << (i % kWordBits); }
  void reset(std::size_t i) { words_[i / kWordBits] &= ~(std::uint64_t{1} << (i % kWordBits)); }
  void assign(std::size_t i, bool value) { value ? set(i) : reset(i); }
  void clear() { words_.assign(words_.size(), 0); }

  bool any() const {
    for (const auto word : words_)
      if (word != 0) return true;
    return false;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (const auto word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }

  Bitset& operator&=(const Bitset& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  Bitset& operator|=(const Bitset& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  Bitset& subtract(const Bitset& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  bool intersects(const Bitset& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      if ((words_[w] & other.words_[w]) != 0) return true;
    return false;
  }
  bool operator==(const Bitset&) const = default;

  const std::vector<std::uint64_t>& words() const { return words_; }
  std::vector<std::uint64_t>& words() { return words_; }

  // Calls f(index) for every member in ascending order.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        f(w * kWordBits + static_cast<std::size_t>(std::countr_zero(word)));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace muster
