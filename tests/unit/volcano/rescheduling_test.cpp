// Who is moved off overloaded nodes.

#include "policy/volcano/plugins/rescheduling.h"

#include <gtest/gtest.h>

#include "policy/volcano/actions/shuffle.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

class ReschedulingTest : public testing::Test {
 protected:
  using Names = std::vector<std::string>;
  ReschedulingTest() {
    configure(50, 80);
    world.memory().behaviour = Behaviour::exact();
    world.add(a_volcano_queue("default")).add(a_pod_group("job"));
    for (const auto* node : {"busy", "idle", "middle"}) world.add(a_volcano_node(node).cpu("10").memory("10Gi"));
    measure("busy", 90, 20);
    measure("idle", 10, 10);
    measure("middle", 60, 60);
    runs("p2", 2, "2");
    runs("p0", 0, "2");
    runs("p1", 1, "2");
    world.open();  // the interval begins
    world.wait(301);
  }
  void configure(int threshold, int target, const char* period = "10m") {
    const auto both = [](int percent) { return map_value({{"cpu", value_of(percent)}, {"memory", value_of(percent)}}); };
    const auto strategy = map_value({{"name", value_of("lowNodeUtilization")},
                                     {"params", map_value({{"thresholds", both(threshold)}, {"targetThresholds", both(target)}})}});
    world.config() = a_config(
        {an_option("rescheduling",
                   {{"interval", value_of("5m")}, {"metricsPeriod", value_of(period)}, {"strategies", list_value({strategy})}})},
        {"shuffle"});
  }
  void measure(const std::string& node, double cpu, double memory) {
    world.cluster().set_usage(node, {.at = world.now(), .periods = {{"10m", {cpu, memory}}}});
  }
  void runs(const std::string& pod, int priority, const std::string& cpu, const std::string& node = "busy") {
    world.add(a_volcano_pod(pod).group("job").cpu(cpu).memory("1Gi").priority(priority).on(node));
  }
  Names shuffled() {
    shuffle(world.open());
    return world.evicted();
  }
  VolcanoWorld world;
};

// 90 % less 20 % for the first: 70 % is below the target.
TEST_F(ReschedulingTest, MovesTheLeastImportantUntilTheNodeIsBelowItsTarget) { EXPECT_EQ(shuffled(), Names{"p0"}); }

TEST_F(ReschedulingTest, RunsOncePerInterval) {
  EXPECT_EQ(shuffled().size(), 1u);
  EXPECT_EQ(shuffled(), Names());
  world.wait(300);
  EXPECT_EQ(shuffled(), Names());  // not before it is over
  world.wait(1);
  EXPECT_EQ(shuffled(), Names{"p1"});
}

TEST_F(ReschedulingTest, TheFirstCycleOnlyStartsTheClock) {
  world.memory().rescheduled.reset();
  EXPECT_EQ(shuffled(), Names());
}

TEST_F(ReschedulingTest, AsLongAsItTakes) {
  measure("busy", 130, 20);
  EXPECT_EQ(shuffled(), (Names{"p0", "p1", "p2"}));
}

TEST_F(ReschedulingTest, StopsWhenTheIdleNodesHaveExactlyNoRoomLeft) {
  measure("busy", 130, 20);
  measure("idle", 40, 10);  // four cores to its target, which two pods use up
  EXPECT_EQ(shuffled(), (Names{"p0", "p1"}));
}

TEST_F(ReschedulingTest, ThoseWithoutPriorityAndPromiseGoFirst) {
  measure("busy", 130, 20);
  world.add(a_volcano_pod("plain").group("job").cpu("1").on("busy"));
  world.add(a_volcano_pod("bare").group("job").on("busy"));
  world.add(a_volcano_pod("firm").group("job").cpu("1").memory("1Gi").limit("cpu", "1").limit("memory", "1Gi").on("busy"));
  auto order = shuffled();
  order.resize(4);
  EXPECT_EQ(order, (Names{"bare", "plain", "firm", "p0"}));
}

TEST_F(ReschedulingTest, NothingWithoutIdleOrBusyNodesOrMeasurements) {
  const auto nothing = [&] {
    world.wait(301);
    return shuffled().empty();
  };
  measure("idle", 60, 10);
  EXPECT_TRUE(nothing());  // nobody is idle
  measure("idle", 10, 10);
  measure("busy", 70, 20);
  EXPECT_TRUE(nothing());  // nobody is busy
  measure("busy", 90, 20);
  configure(50, 80, "5m");
  EXPECT_TRUE(nothing());  // that average is not measured, so all are idle
  world.add(a_volcano_node("n4").cpu("1"));
  configure(50, 80);
  EXPECT_FALSE(nothing());
}

TEST_F(ReschedulingTest, EvictsNobodyForANodeThatNobodyMeasuredWhenItIsSafe) {
  measure("idle", 60, 10);
  world.add(a_volcano_node("unknown").cpu("10").memory("10Gi"));
  EXPECT_EQ(shuffled(), Names{"p0"});
  world.memory().behaviour = Behaviour::safe();
  world.wait(301);
  EXPECT_EQ(shuffled(), Names());
  measure("unknown", 10, 10);
  world.wait(301);
  EXPECT_EQ(shuffled(), Names{"p1"});
}

TEST_F(ReschedulingTest, KnowsPodsByNameAloneUnlessItIsSafe) {
  auto other = a_volcano_pod("twin").cpu("5").memory("1Gi").priority(-1).on("busy").object();
  other.spec.scheduler_name = "default-scheduler";
  other.meta.ns = "elsewhere";
  world.cluster().apply(Object(other));
  runs("twin", 5, "1", "middle");
  EXPECT_EQ(shuffled(), (Names{"twin", "p0"}));  // the one on the other node
  world.memory().behaviour = Behaviour::safe();
  world.wait(301);
  EXPECT_EQ(shuffled(), Names{"p1"});
}

// Both nodes are in one zone, and the pod wants no other of its kind there: it does not stand in its own way.
TEST_F(ReschedulingTest, AsksAsIfThePodHadLeft) {
  world.memory().behaviour = Behaviour::safe();
  auto config = world.config();
  config.tiers.front().plugins.push_back(an_option("predicates"));
  world.config() = config;
  for (const auto* node : {"busy", "idle", "middle"}) world.add(a_volcano_node(node).cpu("10").memory("10Gi").label("zone", "a"));
  const auto lonely = [&](const std::string& name, const std::string& app, const std::string& node) {
    auto pod = a_volcano_pod(name).group("job").cpu("2").memory("1Gi").priority(-1).label("app", app).on(node).object();
    PodAffinityTerm term;
    term.topology_key = "zone";
    term.selector = LabelSelector{{{"app", SelectorOp::kIn, {app}}}};
    pod.spec.affinity.anti_required.push_back(term);
    world.cluster().apply(Object(pod));
  };
  lonely("alone", "db", "busy");
  EXPECT_EQ(shuffled(), Names{"alone"});
  world.wait(301);
  lonely("one", "web", "busy");
  lonely("two", "web", "middle");
  EXPECT_EQ(shuffled(), Names{"p0"});  // each of the two keeps the other where it is
}

TEST_F(ReschedulingTest, UnknownStrategiesNameNobody) {
  world.config() = a_config({an_option("rescheduling", {{"metricsPeriod", value_of("10m")},
                                                        {"strategies", list_value({map_value({{"name", value_of("other")}})})}})});
  EXPECT_EQ(shuffled(), Names());
}

}  // namespace
}  // namespace muster::volcano
