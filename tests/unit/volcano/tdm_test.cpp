// Nodes that may be used at certain hours. The tests' clock starts at midnight UTC.

#include "policy/volcano/plugins/tdm.h"

#include <cmath>
#include <gtest/gtest.h>

#include "policy/volcano/actions/shuffle.h"
#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

constexpr std::int64_t kHour = 3600;

TEST(DailyHoursTest, HoldFromTheFirstToTheLastMinute) {
  const auto at = [](std::int64_t hour, std::int64_t minute, std::int64_t second = 0) {
    return Timestamp{1'767'225'600 + hour * kHour + minute * 60 + second, 0};
  };
  struct Case {
    const char* hours;
    Timestamp time;
    bool holds;
  };
  for (const auto& [hours, time, holds] : {
           Case{"9:00-17:30", at(8, 59, 59), false},
           Case{"9:00-17:30", at(9, 0), true},
           Case{"9:00-17:30", at(17, 30), true},
           Case{"9:00-17:30", at(17, 30, 1), false},
           Case{"22:00-06:00", at(23, 0), true},
           Case{"22:00-06:00", at(3, 0), false},  // began yesterday
           Case{"00:00-00:00", at(12, 0), true},
           Case{" 00:00-23:59 ", at(0, 0), true},
       }) {
    const auto parsed = DailyHours::parse(hours);
    ASSERT_TRUE(parsed) << hours;
    EXPECT_EQ(parsed->contains(time), holds) << hours << " at " << time.rfc3339();
  }
  for (const auto* wrong : {"", "9-17", "25:00-26:00", "09:60-10:00", "09:00", "9:00-10:00-11:00", "a:00-b:00"})
    EXPECT_FALSE(DailyHours::parse(wrong)) << wrong;
}

class TdmTest : public testing::Test {
 protected:
  using Names = std::vector<std::string>;
  TdmTest() {
    world.config() = a_config({option()}, {"shuffle"});
    world.add(a_volcano_queue("default"));
    world.add(a_volcano_node("plain").cpu("8"));
    world.add(in_zone("day-node", "day")).add(in_zone("night-node", "night")).add(in_zone("odd-node", "odd"));
    world.add(a_pod_group("job").minimum(1));
    world.add(a_volcano_pod("fixed").group("job").cpu("1").annotation("volcano.sh/preemptable", "false"));
    world.add(a_volcano_pod("mobile").group("job").cpu("1").annotation("volcano.sh/revocable-zone", "*"));
    world.add(a_volcano_pod("cheap").group("job").cpu("1").annotation("volcano.sh/preemptable", "true"));
    world.add(a_volcano_pod("picky").group("job").cpu("1").annotation("volcano.sh/revocable-zone", "day"));
  }
  static PluginOption option() {
    return an_option("tdm", {{"tdm.revocable-zone.day", value_of("00:00-20:00")},
                             {"tdm.revocable-zone.night", value_of("20:00-23:00")},
                             {"tdm.evict.period", value_of("2m")}});
  }
  static VolcanoNodeBuilder in_zone(const std::string& name, const std::string& zone) {
    return a_volcano_node(name).cpu("8").label("volcano.sh/revocable-zone", zone);
  }
  Tdm& open() {
    plugin.emplace(world.open(), option());
    plugin->open();
    return *plugin;
  }
  void runs(const std::string& pod, const std::string& job, const std::string& node) {
    world.add(a_volcano_pod(pod).group(job).cpu("1").on(node));
  }
  Names shuffled() {
    shuffle(world.open());
    return world.evicted();
  }
  VolcanoWorld world;
  std::optional<Tdm> plugin;
};

TEST_F(TdmTest, ZonesAreForThoseWhoSaySoAndAtTheirHours) {
  open();
  EXPECT_EQ(world.refusal(*plugin, "fixed", "plain"), "");
  EXPECT_EQ(world.refusal(*plugin, "fixed", "day-node"), "not allow to dispatch to revocable node");
  EXPECT_EQ(world.refusal(*plugin, "picky", "day-node"), "not allow to dispatch to revocable node");
  EXPECT_EQ(world.refusal(*plugin, "mobile", "day-node"), "");
  EXPECT_EQ(world.refusal(*plugin, "cheap", "day-node"), "");
  EXPECT_EQ(world.refusal(*plugin, "mobile", "night-node"), "current time beyond revocable zone night:20:00-23:00");
  EXPECT_EQ(world.refusal(*plugin, "mobile", "odd-node"), "revocable zone odd not support");
}

TEST_F(TdmTest, PrefersZonesForThoseWhoMayUseThem) {
  open();
  const auto mobile = world.scores(*plugin, "mobile");
  EXPECT_EQ(mobile[world.node("plain").index()], 0);
  EXPECT_EQ(mobile[world.node("day-node").index()], 100);
  EXPECT_TRUE(std::isnan(mobile[world.node("night-node").index()]));
  EXPECT_EQ(world.scores(*plugin, "fixed")[world.node("day-node").index()], 0);
}

TEST_F(TdmTest, ClassesChangeWhenZonesOpenOrClose) {
  const auto by_day = open().class_key(world.pod("mobile"));
  EXPECT_NE(by_day, plugin->class_key(world.pod("fixed")));
  world.wait(kHour);
  EXPECT_EQ(open().class_key(world.pod("mobile")), by_day);
  world.wait(20 * kHour);
  EXPECT_NE(open().class_key(world.pod("mobile")), by_day);
}

TEST_F(TdmTest, WithoutZonesThereIsNothingToAsk) {
  VolcanoWorld plain;
  plain.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("8")).add(a_pod_group("job"));
  plain.add(a_volcano_pod("pod").group("job"));
  Tdm tdm(plain.open(), option());
  tdm.open();
  EXPECT_EQ(tdm.predicate_dependence(plain.pod("pod")), Dependence::kNothing);
  EXPECT_EQ(tdm.class_key(plain.pod("pod")), 0u);
  EXPECT_TRUE(tdm.victim_tasks({}).empty());
}

TEST_F(TdmTest, JobsThatMayBeInterruptedComeLastAndTakeNothing) {
  world.add(a_pod_group("movable").annotation("volcano.sh/preemptable", "true"));
  world.add(a_volcano_pod("m0").group("movable").cpu("1"));
  open();
  EXPECT_LT(plugin->job_rank(world.job("job")), plugin->job_rank(world.job("movable")));
  EXPECT_TRUE(plugin->job_starving(world.job("job")));
  EXPECT_FALSE(plugin->job_starving(world.job("movable")));
  EXPECT_EQ(plugin->job_pipelined(world.job("job")), Vote::kReject);
}

struct BudgetCase {
  const char* key;
  const char* value;
  std::size_t victims;  // of four that run, of five
};

class TdmBudgetTest : public TdmTest, public testing::WithParamInterface<BudgetCase> {};

TEST_P(TdmBudgetTest, AJobLosesNoMoreThanItsBudget) {
  auto group = a_pod_group("victim");
  if (GetParam().key != nullptr) group.annotation(GetParam().key, GetParam().value);
  world.add(group);
  Names names;
  for (const auto* name : {"v0", "v1", "v2", "v3"}) {
    runs(name, "victim", "plain");
    names.push_back(name);
  }
  world.add(a_volcano_pod("waiting").group("victim").cpu("1"));
  open();
  const auto candidates = world.pods(names);
  EXPECT_EQ(plugin->preemptable(world.pod("fixed"), candidates).victims.size(), GetParam().victims);
}

INSTANTIATE_TEST_SUITE_P(All, TdmBudgetTest,
                         testing::Values(BudgetCase{nullptr, nullptr, 1}, BudgetCase{"volcano.sh/jdb-max-unavailable", "3", 2},
                                         BudgetCase{"volcano.sh/jdb-max-unavailable", "1", 0},
                                         BudgetCase{"volcano.sh/jdb-max-unavailable", "50%", 2},  // three of five
                                         BudgetCase{"volcano.sh/jdb-max-unavailable", "many", 0},
                                         BudgetCase{"volcano.sh/jdb-min-available", "1", 3},
                                         BudgetCase{"volcano.sh/jdb-min-available", "30%", 2},  // two of five
                                         BudgetCase{"volcano.sh/jdb-min-available", "5", 1},    // too late for that
                                         BudgetCase{"volcano.sh/jdb-min-available", "", 1}));

TEST_F(TdmTest, OnlyFixedPodsPushOutAndOnlyOnNodesWithoutAZone) {
  world.add(a_pod_group("victim").annotation("volcano.sh/jdb-min-available", "0"));
  runs("here", "victim", "plain");
  runs("there", "victim", "day-node");
  world.add(a_volcano_pod("fast").group("victim").cpu("1").on("plain").annotation("volcano.sh/preemptable", "false"));
  open();
  const auto candidates = world.pods({"here", "there", "fast"});
  EXPECT_EQ(world.names(plugin->preemptable(world.pod("fixed"), candidates).victims), Names{"here"});
  for (const auto* taker : {"mobile", "cheap", "picky"}) {  // the last is preemptable as every pod is
    EXPECT_EQ(plugin->preemptable(world.pod(taker), candidates).vote, Vote::kReject);
    EXPECT_TRUE(plugin->preemptable(world.pod(taker), candidates).victims.empty());
  }
}

TEST_F(TdmTest, ShuffleEmptiesZonesWhoseTimeIsOverOncePerPeriod) {
  world.add(a_pod_group("a").annotation("volcano.sh/jdb-min-available", "0")).add(a_pod_group("b"));
  for (const auto* pod : {"a0", "a1"}) runs(pod, "a", "night-node");
  for (const auto* pod : {"b0", "b1"}) runs(pod, "b", "night-node");
  runs("at-work", "a", "day-node");
  runs("unknown", "a", "odd-node");  // not a zone of this configuration
  runs("outside", "a", "plain");
  EXPECT_EQ(shuffled(), (Names{"a0", "a1", "b0"}));
  EXPECT_EQ(world.session().books().pod(world.pod("a0")).state, PodState::kReleasing);
  EXPECT_EQ(world.cluster().books().ledgers().releasing[kCpu.index()][world.node("night-node").index()], 3000);
  world.wait(60);
  EXPECT_EQ(shuffled(), Names());
  world.wait(60);
  EXPECT_EQ(shuffled(), Names{"b1"});
  world.wait(20 * kHour);  // night has come
  EXPECT_EQ(shuffled(), Names{"at-work"});
}

TEST_F(TdmTest, PodsGoToZonesWhileTheyAreOpen) {
  VolcanoCycles cycles(a_config({an_option("gang"), option()}, {"allocate"}));
  cycles.add(a_volcano_queue("default")).add(in_zone("night-node", "night"));
  cycles.add(a_pod_group("job")).add(a_volcano_pod("pod").group("job").cpu("1").annotation("volcano.sh/revocable-zone", "*"));
  EXPECT_TRUE(cycles.run().binds.empty());
  cycles.now.seconds += 21 * kHour;
  EXPECT_EQ(cycles.run().binds, (muster::volcano::Names{{"pod", "night-node"}}));
}

}  // namespace
}  // namespace muster::volcano
