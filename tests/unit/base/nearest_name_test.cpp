#include "base/nearest_name.h"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

namespace muster {
namespace {

TEST(NearestNameTest, EditDistance) {
  struct Case {
    const char* from;
    const char* to;
    std::size_t distance;
  };
  for (const auto& [from, to, distance] : std::to_array<Case>({
           {"", "", 0},
           {"", "abc", 3},
           {"gang", "gang", 0},
           {"ganng", "gang", 1},
           {"gnag", "gang", 1},
           {"kitten", "sitting", 3},
           {"ab", "ba", 1},
           {"abcd", "badc", 2},
       })) {
    EXPECT_EQ(edit_distance(from, to), distance) << from << " " << to;
    EXPECT_EQ(edit_distance(to, from), distance) << to << " " << from;
  }
}

TEST(NearestNameTest, TheNearestOfThoseNearEnough) {
  const std::array<std::string_view, 4> names = {"allocate", "backfill", "sla", "drf"};
  EXPECT_EQ(nearest_name("alocate", names), "allocate");
  EXPECT_EQ(nearest_name("Backfil", names), "backfill");
  EXPECT_EQ(nearest_name("dfr", names), "drf");
  EXPECT_EQ(nearest_name("tls", names), "");
  EXPECT_EQ(nearest_name("something", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'a'), names), "");
}

TEST(NearestNameTest, OfEquallyNearNamesTheFirst) {
  const std::array<std::string_view, 2> names = {"cat", "cut"};
  EXPECT_EQ(nearest_name("cot", names), "cat");
}

RC_GTEST_PROP(NearestNameProperty, DistanceIsBoundedAndZeroOnlyForEqualTexts, (const std::string& from, const std::string& to)) {
  const std::size_t distance = edit_distance(from, to);
  RC_ASSERT(distance == edit_distance(to, from));
  RC_ASSERT((distance == 0) == (from == to));
  RC_ASSERT(distance <= std::max(from.size(), to.size()));
}

}  // namespace
}  // namespace muster
