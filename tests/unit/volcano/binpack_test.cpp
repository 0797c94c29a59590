#include "policy/volcano/plugins/binpack.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

// Node "half" is half full of cpu and a quarter full of memory; "empty" is empty; "gpu" has two devices, one of them used.
class BinpackTest : public testing::Test {
 protected:
  BinpackTest() {
    world.add(a_volcano_queue("default")).add(a_pod_group("job"));
    world.add(a_volcano_node("half").cpu("8").memory("16Gi"));
    world.add(a_volcano_node("empty").cpu("8").memory("16Gi"));
    world.add(a_volcano_node("gpu").cpu("8").memory("16Gi").gpu("2"));
    world.add(a_volcano_pod("old").cpu("4").memory("4Gi").on("half"));
    world.add(a_volcano_pod("old-gpu").gpu("1").on("gpu"));
  }
  std::vector<double> scores(const VolcanoPodBuilder& pod, std::vector<std::pair<std::string, Value>> arguments = {}) {
    auto grouped = pod;
    world.add(grouped.group("job"));
    Binpack plugin(world.open(), an_option("binpack", std::move(arguments)));
    return world.scores(plugin, pod.object().meta.name);
  }
  using Scores = std::vector<double>;
  VolcanoWorld world;
};

TEST_F(BinpackTest, TheFullerNodeScoresHigher) {
  EXPECT_EQ(scores(a_volcano_pod("p").cpu("2").memory("4Gi")), (Scores{(0.75 + 0.5) / 2 * 100, (0.25 + 0.25) / 2 * 100, 25}));
}

TEST_F(BinpackTest, OnlyWhatThePodAsksForCounts) { EXPECT_EQ(scores(a_volcano_pod("p").cpu("2")), (Scores{75, 25, 25})); }

TEST_F(BinpackTest, WeightsAreConfigured) {
  EXPECT_EQ(scores(a_volcano_pod("p").cpu("2").memory("4Gi"),
                   {{"binpack.weight", value_of(10)}, {"binpack.cpu", value_of(3)}, {"binpack.memory", value_of(1)}}),
            (Scores{(0.75 * 3 + 0.5) / 4 * 1000, 250, 250}));
  EXPECT_EQ(scores(a_volcano_pod("q").cpu("2").memory("4Gi"), {{"binpack.memory", value_of(-3)}}),
            (Scores{62.5, 25, 25}));  // negative: 1
}

TEST_F(BinpackTest, OtherResourcesCountWhenListed) {
  const auto pod = a_volcano_pod("p").gpu("1");
  EXPECT_EQ(scores(pod), (Scores{0, 0, 0}));
  EXPECT_EQ(scores(pod, {{"binpack.resources", value_of("example.com/fpga, nvidia.com/gpu")}}), (Scores{0, 0, 100}));
}

TEST_F(BinpackTest, ANodeThatWouldOverflowScoresNothing) {
  EXPECT_EQ(scores(a_volcano_pod("p").cpu("5").memory("1Gi")), (Scores{0, (0.625 + 0.0625) / 2 * 100, (0.625 + 0.0625) / 2 * 100}));
}

TEST_F(BinpackTest, WeightZeroLeavesThePluginOut) {
  world.open();
  EXPECT_FALSE(
      Binpack(world.session(), an_option("binpack", {{"binpack.weight", value_of(0)}})).points().contains(Point::kNodeOrder));
  EXPECT_TRUE(Binpack(world.session(), an_option("binpack")).points().contains(Point::kNodeOrder));
}

}  // namespace
}  // namespace muster::volcano
