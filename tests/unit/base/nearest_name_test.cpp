#include "base/nearest_name.h"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

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

// Work is counted in pairs of characters, the same on every machine.
std::uint64_t work_of(const std::string& typed, const std::vector<std::string>& names) {
  NearestName near(typed);
  for (const auto& name : names) near.consider(name);
  return near.work();
}

TEST(NearestNameTest, NamesThatCannotBeNearerCostLittle) {
  const std::string typed(90, 'a');
  struct Case {
    const char* what;
    std::vector<std::string> names;
    std::uint64_t most;
  };
  for (const auto& [what, names, most] : std::to_array<Case>({
           {"much shorter and much longer", {std::string(50, 'a'), std::string(130, 'a')}, 0},
           {"the same", {typed}, 0},
           {"another end", {std::string(89, 'a') + "b"}, 1},
           {"another letter in the middle", {std::string(40, 'a') + "b" + std::string(49, 'a')}, 1},
           {"nothing alike, of 8100 pairs", {std::string(90, 'b')}, 2500},
           {"nothing alike, after a near one", {typed + "s", std::string(90, 'b')}, 4},
       }))
    EXPECT_LE(work_of(typed, names), most) << what;
}

// As in a cluster, where names begin and end alike.
TEST(NearestNameTest, ManyNamesCostAFewPairsEach) {
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.push_back("research/training-run-" + std::to_string(10'000 + 7 * i) + "-master");
  EXPECT_LE(work_of("research/training-run-10007-mastre", names), 10'000u * 10);
  EXPECT_LE(work_of("research/evaluation-of-last-week", names), 10'000u * 300);
}

std::string plain_nearest(std::string_view typed, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  auto shortest = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const auto name : known)
    if (const auto distance = edit_distance(typed, name); !typed.empty() && distance < shortest) {
      shortest = distance;
      nearest = name;
    }
  return std::string(nearest);
}

// A name with some letters of it lost, added, replaced or swapped.
std::string mistyped(std::string name) {
  const auto edits = *rc::gen::inRange(0, 6);
  for (int i = 0; i < edits && !name.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, name.size());
    switch (*rc::gen::inRange(0, 4)) {
      case 0: name.erase(at, 1); break;
      case 1: name.insert(at, 1, *rc::gen::inRange('a', 'd')); break;
      case 2: name[at] = *rc::gen::inRange('a', 'd'); break;
      default: std::swap(name[at], name[at == 0 ? 0 : at - 1]);
    }
  }
  return name;
}

RC_GTEST_PROP(NearestNameProperty, IsWhatThePlainTableFinds, ()) {
  const auto a_name = rc::gen::container<std::string>(rc::gen::inRange('a', 'd'));
  const auto typed = *a_name;
  std::vector<std::string> names = *rc::gen::container<std::vector<std::string>>(a_name);
  const auto relatives = *rc::gen::inRange(0, 5);
  for (int i = 0; i < relatives; ++i) names.push_back(mistyped(typed));
  const std::vector<std::string_view> known(names.begin(), names.end());
  RC_ASSERT(nearest_name(typed, known) == plain_nearest(typed, known));
}

}  // namespace
}  // namespace muster
