#include "engine/heap.h"

#include <functional>
#include <gtest/gtest.h>

namespace muster {
namespace {

using Numbers = std::vector<int>;
using NumberHeap = Heap<int, std::function<bool(int, int)>>;

Numbers drained(NumberHeap& heap) {
  Numbers out;
  while (!heap.empty()) out.push_back(heap.pop());
  return out;
}

TEST(Heap, GivesTheSmallestFirst) {
  NumberHeap heap(std::less<>{});
  for (const int n : {5, 1, 4, 1, 3}) heap.push(n);
  EXPECT_EQ(heap.size(), 5u);
  EXPECT_EQ(drained(heap), (Numbers{1, 1, 3, 4, 5}));
}

// Items that compare equal leave in an order that the steps of the algorithm fix: the first and the last change places on every
// pop.
TEST(Heap, EqualItemsLeaveInTheOrderOfTheAlgorithm) {
  NumberHeap heap([](int, int) { return false; });
  for (const int n : {1, 2, 3, 4}) heap.push(n);
  EXPECT_EQ(drained(heap), (Numbers{1, 4, 3, 2}));
}

// Shares change while a cycle goes on: whoever is inside is not put in order again until a step passes it.
TEST(Heap, AComparatorMayChangeItsMind) {
  std::vector<int> weight = {0, 10, 20, 30};
  NumberHeap heap([&](int l, int r) { return weight[static_cast<std::size_t>(l)] < weight[static_cast<std::size_t>(r)]; });
  for (const int n : {1, 2, 3}) heap.push(n);
  weight[1] = 100;
  EXPECT_EQ(heap.pop(), 1);  // was the smallest when it came in, and nobody has moved it
  weight[3] = 5;
  EXPECT_EQ(heap.pop(), 2);  // the root was chosen before that change
  EXPECT_EQ(heap.pop(), 3);
}

TEST(Heap, TheRightChildIsChosenOnlyIfStrictlySmaller) {
  NumberHeap heap([](int l, int r) { return l / 10 < r / 10; });
  for (const int n : {10, 21, 22, 30}) heap.push(n);
  EXPECT_EQ(drained(heap), (Numbers{10, 21, 22, 30}));
}

}  // namespace
}  // namespace muster
