#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/bitset.h"
#include "engine/ids.h"

namespace muster {

// A whole number for each node, zero for most. Numbers live in pages of 64 nodes that exist once one of their nodes was counted, so
// that thousands of these fit into memory while looking one up and walking over all stays as quick as in a plain vector.
class NodeCounts {
 public:
  void add(NodeId node, std::int32_t change) {
    const auto n = node.index();
    if (n >= counted_.size()) grow(n + 1);
    auto& count = pages_[page(n / kPageSize)][n % kPageSize];
    count += change;
    counted_.assign(n, count != 0);
  }
  void clear() { *this = {}; }

  std::int32_t at(NodeId node) const {
    const auto n = node.index();
    return n < counted_.size() && counted_.test(n) ? pages_[page_of_[n / kPageSize]][n % kPageSize] : 0;
  }
  // Nodes whose number is not zero; may be shorter than the list of nodes.
  const Bitset& counted() const { return counted_; }

  // Calls f(node, count) for every node whose number is not zero, in node order.
  template <class F>
  void for_each(F&& f) const {
    const auto& words = counted_.words();
    for (std::size_t w = 0; w < words.size(); ++w) {
      if (words[w] == 0) continue;
      const auto& counts = pages_[page_of_[w]];
      for (auto word = words[w]; word != 0; word &= word - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(word));
        f(NodeId(w * kPageSize + bit), counts[bit]);
      }
    }
  }

 private:
  static constexpr std::size_t kPageSize = Bitset::kWordBits;
  static constexpr std::uint32_t kNoPage = ~std::uint32_t{0};

  void grow(std::size_t size);
  std::uint32_t page(std::size_t w) {
    if (page_of_[w] == kNoPage) {
      page_of_[w] = static_cast<std::uint32_t>(pages_.size());
      pages_.push_back({});
    }
    return page_of_[w];
  }

  Bitset counted_;
  std::vector<std::uint32_t> page_of_;  // by word of counted_
  std::vector<std::array<std::int32_t, kPageSize>> pages_;
};

}  // namespace muster
