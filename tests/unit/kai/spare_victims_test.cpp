#include "policy/kai/actions/spare_victims.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace muster::kai {
namespace {

std::vector<VictimBatch> batches(int count) {
  std::vector<VictimBatch> list;
  for (int i = 0; i < count; ++i) list.push_back({GroupId(static_cast<std::size_t>(i)), {}});
  return list;
}

std::vector<std::size_t> who_goes(int count, const std::function<bool(const std::set<std::size_t>&)>& suffices) {
  const auto numbers = [](const std::vector<VictimBatch>& list) {
    std::set<std::size_t> set;
    for (const auto& batch : list) set.insert(batch.job.index());
    return set;
  };
  const auto left = numbers(
      spare_victims(batches(count), [&](const auto& list) { return suffices(numbers(list)) ? Answer::kYes : Answer::kNo; }));
  return {left.begin(), left.end()};
}

TEST(SpareVictims, LeavesThoseWhoAreNeeded) {
  const auto needs = [](const std::set<std::size_t>& needed) {
    return [needed](const std::set<std::size_t>& go) { return std::includes(go.begin(), go.end(), needed.begin(), needed.end()); };
  };
  EXPECT_EQ(who_goes(7, needs({2, 5})), (std::vector<std::size_t>{2, 5}));
  EXPECT_EQ(who_goes(3, needs({0, 1, 2})), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(who_goes(1, needs({0})), (std::vector<std::size_t>{0}));
}

TEST(SpareVictims, SparesTheLastFirst) {
  EXPECT_EQ(who_goes(6, [](const std::set<std::size_t>& go) { return go.size() >= 2; }), (std::vector<std::size_t>{0, 1}));
}

// What is obvious costs nothing, so a plan may be as large as it likes.
TEST(SpareVictims, AsksAsOftenAsItTakesWhereAnswersAreObvious) {
  constexpr std::size_t kLast = 999;
  const auto left = spare_victims(batches(1000), [&](const std::vector<VictimBatch>& list) {
    const auto others =
        std::count_if(list.begin(), list.end(), [](const VictimBatch& batch) { return batch.job.index() != kLast; });
    return others == kLast ? Answer::kYes : Answer::kObviouslyNot;
  });
  EXPECT_EQ(left.size(), kLast);
}

}  // namespace
}  // namespace muster::kai
