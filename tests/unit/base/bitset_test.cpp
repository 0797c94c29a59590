#include "base/bitset.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Bitset of(std::size_t size, std::initializer_list<std::size_t> members) {
  Bitset set(size);
  for (const auto member : members) set.set(member);
  return set;
}

std::vector<std::size_t> members(const Bitset& set) {
  std::vector<std::size_t> out;
  set.for_each([&](std::size_t i) { out.push_back(i); });
  return out;
}

using Members = std::vector<std::size_t>;

TEST(Bitset, HoldsWhatWasSet) {
  auto set = of(130, {0, 63, 64, 129});
  EXPECT_EQ(members(set), (Members{0, 63, 64, 129}));
  EXPECT_EQ(set.count(), 4u);
  set.reset(63);
  set.assign(5, true);
  set.assign(0, false);
  EXPECT_EQ(members(set), (Members{5, 64, 129}));
  EXPECT_FALSE(set.test(63));
  set.clear();
  EXPECT_FALSE(set.any());
  EXPECT_EQ(set.size(), 130u);
}

TEST(Bitset, BitsBeyondTheSizeAreZero) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 128u, 200u}) {
    const Bitset full(size, true);
    EXPECT_EQ(full.count(), size) << size;
    EXPECT_EQ(members(full).size(), size) << size;
    EXPECT_EQ(full.any(), size != 0) << size;
  }
}

TEST(Bitset, ResizeForgets) {
  auto set = of(10, {3});
  set.resize(70);
  EXPECT_FALSE(set.any());
  EXPECT_EQ(set.size(), 70u);
}

TEST(Bitset, CombinesAsSets) {
  const auto left = of(100, {1, 2, 70});
  const auto right = of(100, {2, 70, 99});
  auto both = left, either = left, only = left;
  EXPECT_EQ(members(both &= right), (Members{2, 70}));
  EXPECT_EQ(members(either |= right), (Members{1, 2, 70, 99}));
  EXPECT_EQ(members(only.subtract(right)), (Members{1}));
  EXPECT_EQ(left, of(100, {70, 2, 1}));
  EXPECT_NE(left, right);
}

}  // namespace
}  // namespace muster
