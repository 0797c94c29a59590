// Who is left alone for a while after he was scheduled.

#include "policy/volcano/plugins/cdp.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

constexpr const char* kKey = "volcano.sh/cooldown-time";

struct CooldownCase {
  const char* what;
  const char* label;       // nullptr: none
  const char* annotation;  // the same
  std::int64_t scheduled_ago;
  bool is_protected;
};

class CdpTest : public testing::TestWithParam<CooldownCase> {
 protected:
  CdpTest() {
    world.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("8")).add(a_pod_group("job"));
    world.add(a_volcano_pod("taker").group("job").cpu("1"));
  }
  Timestamp ago(std::int64_t seconds) const { return {world.now().seconds - seconds, 0}; }
  bool is_protected(const std::string& pod) {
    Cdp plugin(world.open());
    const auto candidates = world.pods({pod});
    const auto preempt = plugin.preemptable(world.pod("taker"), candidates);
    const auto reclaim = plugin.reclaimable(world.pod("taker"), candidates);
    EXPECT_EQ(preempt.vote, Vote::kPermit);
    EXPECT_EQ(preempt.victims, reclaim.victims);
    return preempt.victims.empty();
  }
  VolcanoWorld world;
};

TEST_P(CdpTest, ProtectsWhileTheTimeRuns) {
  const auto& given = GetParam();
  auto pod = a_volcano_pod("pod").group("job").cpu("1").on("n1").scheduled(ago(given.scheduled_ago));
  if (given.label != nullptr) pod.label(kKey, given.label);
  if (given.annotation != nullptr) pod.annotation(kKey, given.annotation);
  world.add(pod);
  EXPECT_EQ(is_protected("pod"), given.is_protected) << given.what;
}

INSTANTIATE_TEST_SUITE_P(All, CdpTest,
                         testing::Values(CooldownCase{"says nothing", nullptr, nullptr, 1, false},
                                         CooldownCase{"by label", "10m", nullptr, 599, true},
                                         CooldownCase{"by annotation", nullptr, "10m", 599, true},
                                         CooldownCase{"over to the second", "10m", nullptr, 600, false},
                                         CooldownCase{"the label counts", "1m", "1h", 120, false},
                                         CooldownCase{"even one that says nothing sensible", "soon", "1h", 120, false},
                                         CooldownCase{"no unit", "600", nullptr, 1, false},
                                         CooldownCase{"no time", "0s", nullptr, 0, false},
                                         CooldownCase{"less than none", "-5m", nullptr, 0, false},
                                         CooldownCase{"scheduled in the future", "1s", nullptr, -60, true}));

TEST_F(CdpTest, OnlyRunningPodsWithTheConditionCoolDown) {
  world.add(a_volcano_pod("unknown").group("job").label(kKey, "1h").on("n1"));
  world.add(a_volcano_pod("bound").group("job").label(kKey, "1h").on("n1").phase("Pending").scheduled(ago(5)));
  EXPECT_FALSE(is_protected("unknown"));
  EXPECT_FALSE(is_protected("bound"));
}

}  // namespace
}  // namespace muster::volcano
