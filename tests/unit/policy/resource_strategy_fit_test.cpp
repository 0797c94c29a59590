#include "policy/volcano/plugins/resource_strategy_fit.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

constexpr const char* kType = "volcano.sh/resource-strategy-scoring-type";
constexpr const char* kWeights = "volcano.sh/resource-strategy-weight";

Value strategy(const char* type, int weight) { return map_value({{"type", value_of(type)}, {"weight", value_of(weight)}}); }

PluginOption with_resources(std::vector<std::pair<std::string, Value>> resources) {
  return an_option("resource-strategy-fit", {{"resources", map_value(std::move(resources))}});
}

// Two nodes of 10 cores and 10 GiB, the second with 10 GPUs; 4 cores and 4 GPUs of it are taken.
class ResourceStrategyFitTest : public testing::Test {
 protected:
  ResourceStrategyFitTest() {
    world.add(a_volcano_queue("default"));
    world.add(a_volcano_node("plain").cpu("10").memory("10Gi"));
    world.add(a_volcano_node("gpus").cpu("10").memory("10Gi").gpu("10"));
    world.add(a_pod_group("job"));
    world.add(a_volcano_pod("old").group("job").cpu("4").gpu("4").on("gpus"));
    world.add(a_volcano_pod("cpu").group("job").cpu("1").memory("1Gi"));
    world.add(a_volcano_pod("gpu").group("job").cpu("1").gpu("2"));
    world.add(a_volcano_pod("big").group("job").cpu("7").memory("1Gi"));
  }
  std::vector<double> scores(const PluginOption& option, const std::string& pod) {
    ResourceStrategyFit plugin(world.open(), option);
    return world.scores(plugin, pod);
  }

  VolcanoWorld world;
};

TEST_F(ResourceStrategyFitTest, SpreadsCpuAndMemoryByDefault) {
  // (0.9 + 0.9) / 2 and (0.5 + 0.9) / 2, times 100 times the weight of 10.
  EXPECT_EQ(scores(an_option("resource-strategy-fit"), "cpu"), (std::vector<double>{900, (0.5 + 0.9) / 2 * 1000}));
}

TEST_F(ResourceStrategyFitTest, EachResourceHasItsOwnStrategyAndWeight) {
  const auto option = with_resources({{"cpu", strategy("LeastAllocated", 1)}, {"nvidia.com/gpu", strategy("MostAllocated", 3)}});
  // The node without GPUs gets nothing for them, and their weight still counts.
  EXPECT_EQ(scores(option, "gpu"), (std::vector<double>{0.9 / 4 * 1000, (0.5 + 6000.0 * 3 / 10000) / 4 * 1000}));
}

TEST_F(ResourceStrategyFitTest, OneResourceThatOverflowsCostsTheWholeScore) {
  EXPECT_EQ(scores(an_option("resource-strategy-fit"), "big"), (std::vector<double>{(0.3 + 0.9) / 2 * 1000, 0}));
}

TEST_F(ResourceStrategyFitTest, UnknownTypesAndWeightsFallBack) {
  const auto option = with_resources({{"cpu", strategy("Balanced", -1)}, {"memory", Value()}});
  EXPECT_EQ(scores(option, "cpu"), scores(an_option("resource-strategy-fit"), "cpu"));
}

TEST_F(ResourceStrategyFitTest, PatternsMatchByTheirLongestBeginningAndExactNamesFirst) {
  const auto most = with_resources({{"nvidia.com/gpu", strategy("MostAllocated", 1)}});
  const auto expected = scores(most, "gpu");
  EXPECT_EQ(
      scores(with_resources({{"nvidia.*", strategy("LeastAllocated", 1)}, {"nvidia.com/*", strategy("MostAllocated", 1)}}), "gpu"),
      expected);
  EXPECT_EQ(
      scores(with_resources({{"nvidia.com/gp*", strategy("LeastAllocated", 1)}, {"nvidia.com/gpu", strategy("MostAllocated", 1)}}),
             "gpu"),
      expected);
}

TEST_F(ResourceStrategyFitTest, PatternsWithoutABeginningOrWithMoreAreDropped) {
  const auto option = with_resources(
      {{"*", strategy("MostAllocated", 1)}, {"c*u", strategy("MostAllocated", 1)}, {"c**", strategy("MostAllocated", 1)}});
  EXPECT_EQ(scores(option, "cpu"), (std::vector<double>{0, 0}));
}

TEST_F(ResourceStrategyFitTest, APodsOwnStrategyReplacesTheConfiguration) {
  struct Case {
    const char* what;
    const char* type;
    const char* weights;
    double expected;  // on the first node, of a pod with 1 core and 1 GiB
  };
  const Case cases[] = {
      {"both weights", "MostAllocated", R"({"cpu":1,"memory":3})", (0.1 + 0.1 * 3) / 4 * 1000},
      {"only one weight", "LeastAllocated", R"({"cpu":2})", 900},
      {"an unknown type scores nothing", "Other", R"({"cpu":2})", 0},
      {"no weights", "MostAllocated", "", 0},
      {"unreadable weights", "MostAllocated", "cpu=1", 0},
      {"a weight that is no integer", "MostAllocated", R"({"cpu":1.0})", 0},
      {"weights of null", "MostAllocated", "null", 0},
      {"an empty type is none", "", R"({"cpu":9})", 900},
      {"sums wrap around", "MostAllocated", R"({"cpu":9223372036854775807,"memory":9223372036854775807})",
       (0.1 * 9223372036854775807.0 + 0.1 * 9223372036854775807.0) * 1000},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.what);
    world.add(
        a_volcano_pod("own").group("job").cpu("1").memory("1Gi").annotation(kType, test.type).annotation(kWeights, test.weights));
    EXPECT_DOUBLE_EQ(scores(an_option("resource-strategy-fit"), "own").front(), test.expected);
  }
}

TEST_F(ResourceStrategyFitTest, PodsWithDifferentOwnStrategiesAreOfDifferentClasses) {
  world.add(a_volcano_pod("a").group("job").annotation(kType, "MostAllocated").annotation(kWeights, "{}"));
  world.add(a_volcano_pod("b").group("job").annotation(kType, "LeastAllocated").annotation(kWeights, "{}"));
  world.add(a_volcano_pod("c").group("job").annotation(kWeights, "{}"));
  ResourceStrategyFit plugin(world.open(), an_option("resource-strategy-fit"));
  EXPECT_NE(plugin.class_key(world.pod("a")), plugin.class_key(world.pod("b")));
  EXPECT_EQ(plugin.class_key(world.pod("c")), 0u);
  EXPECT_NE(plugin.class_key(world.pod("a")), 0u);
}

Value scarcity(std::vector<std::pair<std::string, Value>> weights) {
  return map_value({{"enable", value_of(true)},
                    {"resources", value_of(" nvidia.com/gpu, example.com/rare,,cpu")},
                    {"weight", value_of(2)},
                    {"resourceWeight", map_value(std::move(weights))}});
}

TEST_F(ResourceStrategyFitTest, KeepsPodsOffNodesWithScarceResources) {
  const auto option = an_option(
      "resource-strategy-fit",
      {{"resourceStrategyFitWeight", value_of(0)}, {"sra", scarcity({{"nvidia.com/gpu", value_of(3)}, {"cpu", value_of(-5)}})}});
  // Weights 3 for GPUs, 1 for the resource that nobody has, 1 for cpu.
  EXPECT_EQ(scores(option, "cpu"), (std::vector<double>{(1 - 1.0 / 5) * 200, (1 - 4.0 / 5) * 200}));
  EXPECT_EQ(scores(option, "gpu"), (std::vector<double>{0, (1 - 4.0 / 5) * 200}));
}

TEST_F(ResourceStrategyFitTest, BothScoresAddUp) {
  const auto both = an_option("resource-strategy-fit", {{"sra", scarcity({})}});
  const auto fit = scores(an_option("resource-strategy-fit"), "cpu");
  EXPECT_EQ(scores(both, "cpu"), (std::vector<double>{fit[0] + (1 - 1.0 / 3) * 200, fit[1] + (1 - 2.0 / 3) * 200}));
}

TEST_F(ResourceStrategyFitTest, AnswersOnlyWhatIsSwitchedOn) {
  const auto points = [&](std::vector<std::pair<std::string, Value>> arguments) {
    ResourceStrategyFit plugin(world.open(), an_option("resource-strategy-fit", std::move(arguments)));
    return std::pair(plugin.points().contains(Point::kPredicate), plugin.points().contains(Point::kNodeOrder));
  };
  EXPECT_EQ(points({}), std::pair(false, true));
  EXPECT_EQ(points({{"resourceStrategyFitWeight", value_of(-1)}}), std::pair(false, true));
  EXPECT_EQ(points({{"resourceStrategyFitWeight", Value()}}), std::pair(false, false));
  EXPECT_EQ(points({{"resourceStrategyFitWeight", value_of(0)}, {"sra", scarcity({})}}), std::pair(false, true));
  EXPECT_EQ(points({{"resourceStrategyFitWeight", value_of(0)}, {"proportional", map_value({{"Enable", value_of(true)}})}}),
            std::pair(true, false));
}

TEST_F(ResourceStrategyFitTest, KeepsCpuAndMemoryFreeForIdleDevices) {
  // The GPU node has 6 idle GPUs, 6 idle cores and 10 GiB: a GPU keeps one core or 1 GB.
  const auto refusal = [&](double cpu, double memory, const std::string& pod, const std::string& node) {
    ResourceStrategyFit plugin(
        world.open(), an_option("resource-strategy-fit",
                                {{"proportional",
                                  map_value({{"enable", value_of(true)},
                                             {"resources", value_of("nvidia.com/gpu")},
                                             {"resourceProportion", map_value({{"nvidia.com/gpu.cpu", value_of(cpu)},
                                                                               {"nvidia.com/gpu.memory", value_of(memory)}})}})}}));
    return world.refusal(plugin, pod, node);
  };
  const std::string text = "proportional of resource nvidia.com/gpu check failed";
  EXPECT_EQ(refusal(0.5, 1, "cpu", "gpus"), "");
  EXPECT_EQ(refusal(1, 1, "cpu", "gpus"), text);
  EXPECT_EQ(refusal(0, 2, "cpu", "gpus"), text);   // 9 GiB are less than 12 GB
  EXPECT_EQ(refusal(-1, 0, "cpu", "gpus"), text);  // negative rates are 1
  EXPECT_EQ(refusal(1, 1, "gpu", "gpus"), "");     // whoever uses the devices may use the rest
  EXPECT_EQ(refusal(1, 1, "big", "plain"), "");    // nothing to keep it for
}

TEST_F(ResourceStrategyFitTest, OnlyANodeThatNamesTheDeviceCanBeShortOfCpuForIt) {
  world.add(a_volcano_node("broken").cpu("10").memory("10Gi").gpu("0"));
  world.add(a_volcano_pod("leaving").group("job").cpu("8").on("broken").terminating());
  world.add(a_volcano_pod("leaving-too").group("job").cpu("8").on("plain").terminating());
  ResourceStrategyFit plugin(
      world.open(),
      an_option("resource-strategy-fit",
                {{"proportional", map_value({{"enable", value_of(true)}, {"resources", value_of("nvidia.com/gpu")}})}}));
  EXPECT_EQ(world.refusal(plugin, "big", "broken"), "proportional of resource nvidia.com/gpu check failed");
  EXPECT_EQ(world.refusal(plugin, "big", "plain"), "");
  EXPECT_EQ(plugin.predicate_dependence(world.pod("big")), Dependence::kNode);
  EXPECT_EQ(plugin.predicate_dependence(world.pod("gpu")), Dependence::kNothing);
}

}  // namespace
}  // namespace muster::volcano
