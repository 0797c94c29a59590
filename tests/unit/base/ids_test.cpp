#include <gtest/gtest.h>
#include <unordered_set>

#include "base/interner.h"
#include "base/name_table.h"
#include "base/strong_id.h"

namespace muster {
namespace {

using FruitId = StrongId<struct FruitTag>;

TEST(StrongId, NamesNothingUntilGivenAnIndex) {
  EXPECT_FALSE(FruitId());
  EXPECT_TRUE(FruitId(0));
  EXPECT_NE(FruitId(), FruitId(0));
  EXPECT_LT(FruitId(1), FruitId(2));
  EXPECT_LT(FruitId(7), FruitId());  // nothing sorts last
  EXPECT_EQ((std::unordered_set<FruitId>{FruitId(1), FruitId(1), FruitId()}.size()), 2u);
}

TEST(IdVector, IsIndexedByItsId) {
  IdVector<FruitId, int> counts(2, 5);
  const auto third = counts.push_back(7);
  EXPECT_EQ(third.index(), 2u);
  EXPECT_EQ(counts[FruitId(0)] + counts[third], 12);
  EXPECT_TRUE(counts.contains(third));
  EXPECT_FALSE(counts.contains(FruitId(3)));
  EXPECT_FALSE(counts.contains(FruitId()));
}

TEST(IdRange, GivesEveryIdInOrder) {
  std::vector<std::uint32_t> seen;
  for (const auto id : IdRange<FruitId>(3)) seen.push_back(id.index());
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 1, 2}));
  for (const auto id : IdRange<FruitId>(0)) FAIL() << id.index();
}

TEST(NameTable, ForgetsNames) {
  NameTable<FruitId> names;
  names.set("apple", FruitId(1));
  names.set("pear", FruitId(2));
  names.set("apple", FruitId(3));
  EXPECT_EQ(names.find("apple"), FruitId(3));
  names.erase("apple");
  names.erase("fig");
  EXPECT_FALSE(names.find("apple"));
  EXPECT_EQ(names.size(), 1u);
}

TEST(Interner, GivesDenseIdsInOrderOfFirstAppearance) {
  Interner<FruitId> names;
  EXPECT_FALSE(names.find("apple"));
  EXPECT_EQ(names.intern("apple"), FruitId(0));
  EXPECT_EQ(names.intern(""), FruitId(1));
  EXPECT_EQ(names.intern("apple"), FruitId(0));
  EXPECT_EQ(names.find(""), FruitId(1));
  EXPECT_EQ(names.text(FruitId(0)), "apple");
  EXPECT_EQ(names.size(), 2u);
}

TEST(Interner, TextsStayWhereTheyAre) {
  Interner<FruitId> names;
  const auto* first = &names.text(names.intern("first"));
  for (int i = 0; i < 10'000; ++i) names.intern("fruit" + std::to_string(i));
  EXPECT_EQ(first, &names.text(FruitId(0)));
  EXPECT_EQ(names.find("fruit9999"), FruitId(10'000));
}

}  // namespace
}  // namespace muster
