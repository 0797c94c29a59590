#include "policy/volcano/plugins/usage.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

constexpr const char* kCpuText = "the CPU load of the node exceeds the upper limit.";
constexpr const char* kMemoryText = "the memory load of the node exceeds the upper limit.";
constexpr double kGiB = 1024.0 * 1024 * 1024;

// Two nodes of 10 cores and 10 GiB.
class UsageTest : public testing::Test {
 protected:
  UsageTest() {
    world.add(a_volcano_queue("default"));
    for (const char* node : {"n1", "n2"}) world.add(a_volcano_node(node).cpu("10").memory("10Gi"));
    world.add(a_pod_group("job"));
    world.add(a_volcano_pod("pod").group("job").cpu("2").memory("1Gi"));
  }
  Timestamp ago(std::int64_t seconds) { return {world.now().seconds - seconds, world.now().nanos}; }
  void measure(const std::string& node, double cpu, double memory, std::int64_t seconds_ago = 10) {
    world.cluster().set_usage(node, {cpu, memory, ago(seconds_ago)});
  }
  Usage& open(std::vector<std::pair<std::string, Value>> arguments = {}) {
    plugin.emplace(world.open(), an_option("usage", std::move(arguments)));
    plugin->open();
    return *plugin;
  }
  double score(const std::string& node = "n1") { return world.scores(*plugin, "pod")[world.node(node).index()]; }
  // The default score of a node of which these parts are used.
  static double scored(double cpu, double memory) { return ((1.0 - cpu) * 1 + (1.0 - memory) * 1) / 2 * 100 * 5; }
  static double part(double percent, double unmeasured, double capacity) {
    return (percent / 100 * capacity + unmeasured) / capacity;
  }
  using Texts = std::vector<std::string>;

  VolcanoWorld world;
  std::optional<Usage> plugin;
};

TEST_F(UsageTest, WithoutMeasurementsItSaysNothing) {
  world.cluster().set_usage("nowhere", {});
  open();
  EXPECT_EQ(plugin->predicate_dependence(world.pod("pod")), Dependence::kNothing);
  EXPECT_EQ(plugin->order_dependence(world.pod("pod")), Dependence::kNothing);
  EXPECT_EQ(world.refusal(*plugin, "pod", "n1"), "");
  EXPECT_EQ(score(), 0);
}

TEST_F(UsageTest, RefusesNodesAboveAThreshold) {
  measure("n1", 80.5, 10);
  measure("n2", 80, 81);
  open();
  EXPECT_EQ(world.refusal(*plugin, "pod", "n1"), kCpuText);
  EXPECT_EQ(world.refusal(*plugin, "pod", "n2"), kMemoryText);
  EXPECT_EQ(world.refusal(*plugin, "pod", "n1", Dependence::kNode), "");
  EXPECT_EQ(plugin->predicate_dependence(world.pod("pod")), Dependence::kOthers);
  EXPECT_EQ(world.left_by_others(*plugin, "pod"), Texts{});
  open({{"thresholds", map_value({{"cpu", value_of(90)}, {"mem", value_of(101)}})}});
  EXPECT_EQ(world.left_by_others(*plugin, "pod"), Texts{"n1"});
  open({{"thresholds", map_value({{"cpu", value_of(90.0)}, {"mem", value_of(90)}})}});  // only integers count
  EXPECT_EQ(world.left_by_others(*plugin, "pod"), Texts{"n2"});
}

TEST_F(UsageTest, OldMeasurementsDoNotCount) {
  measure("n1", 99, 99, 301);
  measure("n2", 99, 99, 300);
  open();
  EXPECT_EQ(world.refusal(*plugin, "pod", "n1"), "");
  EXPECT_EQ(world.refusal(*plugin, "pod", "n2"), kCpuText);
  EXPECT_EQ(score("n1"), 0);
  EXPECT_DOUBLE_EQ(score("n2"), scored(0.99, 0.99));
}

TEST_F(UsageTest, LittleLoadScoresHigh) {
  measure("n1", 20, 50);
  measure("n2", 120, -5);
  open();
  EXPECT_EQ(score("n1"), scored(part(20, 0, 10000), part(50, 0, 10 * kGiB)));
  EXPECT_EQ(score("n2"), scored(1, 0));
  open({{"usage.weight", value_of(1)}, {"cpu.weight", value_of(3)}, {"memory.weight", value_of(1)}});
  EXPECT_EQ(score("n1"), ((1 - part(20, 0, 10000)) * 3 + (1 - part(50, 0, 10 * kGiB)) * 1) / 4 * 100 * 1);
  open({{"usage.weight", value_of(-1)}, {"cpu.weight", value_of(0)}, {"memory.weight", value_of(0)}});
  EXPECT_EQ(score("n1"), 0);
}

TEST_F(UsageTest, PodsThatAreTooNewToBeMeasuredAreEstimated) {
  measure("n1", 10, 10);
  world.add(a_volcano_pod("fresh").cpu("1").memory("1Gi").on("n1").started(ago(29)));
  world.add(a_volcano_pod("settled").cpu("1").memory("1Gi").on("n1").started(ago(30)));
  world.add(a_volcano_pod("unknown-start").cpu("1").memory("1Gi").on("n1"));
  world.add(a_volcano_pod("bound").cpu("1").memory("1Gi").on("n1").phase("Pending"));
  world.add(a_volcano_pod("leaving").cpu("1").memory("1Gi").on("n1").started(ago(1)).terminating());
  open();
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 3 * 700, 10000), part(10, 3 * 0.7 * kGiB, 10 * kGiB)));
  world.config().metrics["interval"] = "10s";
  open();
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 2 * 700, 10000), part(10, 2 * 0.7 * kGiB, 10 * kGiB)));
  world.config().metrics["interval"] = "never";
  open();
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 3 * 700, 10000), part(10, 3 * 0.7 * kGiB, 10 * kGiB)));
}

TEST_F(UsageTest, EstimatesLieBetweenRequestAndLimit) {
  measure("n1", 10, 10);
  world.add(a_volcano_pod("bursty").cpu("1").limit("cpu", "3").limit("memory", "2Gi").on("n1"));
  open({{"estimator", map_value({{"request_ratio", value_of(0.5)}, {"burst_ratio", value_of(0.25)}})}});
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 500 + 500, 10000), part(10, 0.5 * kGiB, 10 * kGiB)));
  open({{"estimator", map_value({{"request_ratio", value_of(2)}, {"burst_ratio", value_of(-1)}})}});  // both out of range
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 700, 10000), part(10, 0, 10 * kGiB)));
}

TEST_F(UsageTest, PodsThatAskForNothingCountWithAFixedLoad) {
  measure("n1", 10, 10);
  world.add(a_volcano_pod("idler").on("n1"));
  open();
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 250, 10000), part(10, 200.0 * 1024 * 1024, 10 * kGiB)));
  open({{"estimator", map_value({{"be_cpu", value_of("1")}, {"be_mem", value_of("1Gi")}})}});
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 1000, 10000), part(10, kGiB, 10 * kGiB)));
  open({{"estimator", map_value({{"be_cpu", value_of(100)}, {"be_mem", value_of(1024)}})}});
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 100, 10000), part(10, kGiB, 10 * kGiB)));
  open({{"estimator", map_value({{"be_cpu", value_of("-1")}, {"be_mem", value_of("lots")}})}});
  EXPECT_DOUBLE_EQ(score(), scored(part(10, 250, 10000), part(10, 200.0 * 1024 * 1024, 10 * kGiB)));
}

TEST_F(UsageTest, OnALoadedNodeEstimatesAreRaised) {
  measure("n1", 60, 60);
  world.add(a_volcano_pod("fresh").cpu("1").memory("1Gi").on("n1"));
  open();
  EXPECT_DOUBLE_EQ(score(), scored(part(60, 700 * 1.2, 10000), part(60, 0.7 * 1.2 * kGiB, 10 * kGiB)));
  open({{"estimator", map_value({{"risk_factor", value_of(3)}})}});  // never above what the pod may use
  EXPECT_DOUBLE_EQ(score(), scored(part(60, 1000, 10000), part(60, kGiB, 10 * kGiB)));
  open({{"estimator", map_value({{"risk_threshold", value_of(0.61)}})}});
  EXPECT_DOUBLE_EQ(score(), scored(part(60, 700, 10000), part(60, 0.7 * kGiB, 10 * kGiB)));
}

TEST_F(UsageTest, PlacementsOfTheCycleCountUntilTheyAreTakenBack) {
  measure("n1", 50, 50);
  world.add(a_volcano_pod("fresh").cpu("1").memory("1Gi").on("n1"));
  open();
  const auto before = scored(part(50, 700, 10000), part(50, 0.7 * kGiB, 10 * kGiB));
  // The first placement may come before the first score.
  world.allocate(*plugin, "pod", "n1");
  EXPECT_DOUBLE_EQ(score(), scored(part(50, 700 + 1400, 10000), part(50, 2 * 0.7 * kGiB, 10 * kGiB)));
  world.take_back(*plugin, "pod");
  EXPECT_DOUBLE_EQ(score(), before);
  world.allocate(*plugin, "pod", "n2", PodState::kPipelined);
  EXPECT_DOUBLE_EQ(score(), before);
}

}  // namespace
}  // namespace muster::volcano
