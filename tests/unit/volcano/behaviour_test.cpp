#include "policy/volcano/behaviour.h"

#include <gtest/gtest.h>
#include <set>

namespace muster::volcano {
namespace {

TEST(BehaviourTest, EveryQuirkHasItsRow) {
  std::set<Quirk> quirks;
  std::set<std::string_view> names;
  for (const auto& difference : differences()) {
    quirks.insert(difference.quirk);
    names.insert(difference.name);
  }
  EXPECT_EQ(quirks.size(), static_cast<std::size_t>(Quirk::kCount));
  EXPECT_EQ(names.size(), quirks.size());
}

TEST(BehaviourTest, ExactKeepsAllAndSafeNone) {
  for (const auto& difference : differences()) {
    EXPECT_TRUE(Behaviour::exact().keeps(difference.quirk)) << difference.name;
    EXPECT_FALSE(Behaviour::safe().keeps(difference.quirk)) << difference.name;
    EXPECT_FALSE(Behaviour().keeps(difference.quirk)) << difference.name;
  }
}

TEST(BehaviourTest, EachRowIsASwitchOfItsOwn) {
  for (const auto& turned : differences())
    for (const auto& other : differences()) {
      const bool same = turned.quirk == other.quirk;
      EXPECT_EQ(Behaviour::safe().with(turned.quirk).keeps(other.quirk), same) << turned.name << ", " << other.name;
      EXPECT_EQ(Behaviour::exact().without(turned.quirk).keeps(other.quirk), !same) << turned.name << ", " << other.name;
    }
}

}  // namespace
}  // namespace muster::volcano
