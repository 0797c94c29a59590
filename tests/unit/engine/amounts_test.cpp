#include "engine/amounts.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

const ResourceId kGpu{3};

TEST(Amounts, AreOrderedByResourceWhateverTheOrderOfCalls) {
  Amounts amounts;
  amounts.add(kGpu, 2);
  amounts.add(kCpu, 500);
  amounts.add(kCpu, 500);
  std::vector<Amounts::Entry> entries(amounts.begin(), amounts.end());
  EXPECT_EQ(entries, (std::vector<Amounts::Entry>{{kCpu, 1000}, {kGpu, 2}}));
}

TEST(Amounts, AnAbsentResourceIsZeroAndStaysAbsent) {
  Amounts amounts;
  EXPECT_EQ(amounts.get(kGpu), 0);
  EXPECT_FALSE(amounts.has(kGpu));
  EXPECT_TRUE(amounts.empty());
}

TEST(Amounts, AResourceThatWasAddedStaysPresentAtZero) {
  Amounts amounts, other;
  other.set(kGpu, 3);
  amounts += other;
  amounts -= other;
  EXPECT_TRUE(amounts.has(kGpu));
  EXPECT_EQ(amounts.get(kGpu), 0);
  EXPECT_NE(amounts, Amounts());
}

TEST(Amounts, MayBecomeNegative) {
  Amounts amounts, other;
  other.set(kMemory, 7);
  amounts -= other;
  EXPECT_EQ(amounts.get(kMemory), -7);
}

TEST(Amounts, RaiseNeverLowers) {
  Amounts amounts;
  amounts.raise(kCpu, 5);
  amounts.raise(kCpu, 3);
  EXPECT_EQ(amounts.get(kCpu), 5);
}

}  // namespace
}  // namespace muster
