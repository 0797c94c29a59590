// Faults that were found and mended; each test says what must hold.

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

// A ready job's pod that waits for what others free is committed with its statement, and must be taken back when the cycle ends.
TEST(Mended, APipelinedPodOfAReadyJobWaitsAgainInTheNextCycle) {
  VolcanoCycles cycles(a_config({an_option("gang"), an_option("predicates")}));
  cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4"));
  cycles.add(a_pod_group("job").minimum(1)).add(a_volcano_pod("runs").group("job").cpu("1").on("n1"));
  cycles.add(a_volcano_pod("leaves").cpu("3").on("n1").terminating());
  cycles.add(a_volcano_pod("waits").group("job").cpu("2"));
  EXPECT_EQ(cycles.run().planned, (Names{{"waits", "n1"}}));
  cycles.cluster().remove_pod(cycles.cluster().find_pod("default/leaves"));
  EXPECT_EQ(cycles.run().binds, (Names{{"waits", "n1"}}));
}

// A pending pod that asks for nothing counts as ready only if some node would take it.
TEST(Mended, SafeDoesNotBindAGangWhoseBestEffortPodsHaveNoNode) {
  VolcanoCycles cycles(a_config({an_option("gang"), an_option("predicates")}), Behaviour::safe());
  cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4"));
  cycles.add(a_pod_group("job").minimum(2)).add(a_volcano_pod("j-w-0").group("job").cpu("1"));
  cycles.add(a_volcano_pod("j-w-1").group("job").select("disk", "ssd"));
  EXPECT_EQ(cycles.run().binds, Names{});
}

// A job that is ready whatever happens is visited once per task; the next cycle must say what the first said.
TEST(Mended, AHopelessJobWithoutGangSaysTheSameInEveryCycle) {
  VolcanoCycles cycles(a_config({an_option("predicates")}));
  cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4"));
  cycles.add(a_pod_group("job").minimum(2));
  for (const char* pod : {"j-w-0", "j-w-1"}) cycles.add(a_volcano_pod(pod).group("job").cpu("9"));
  const auto first = cycles.run().events;
  const auto second = cycles.run();
  EXPECT_EQ(second.events, first);
  EXPECT_EQ(second.pod_conditions, Names{});
}

// The set of a shard's nodes grows with the nodes.
TEST(Mended, AShardGrowsWithTheNodes) {
  ClusterOptions options;
  options.shard_mode = "hard";
  VolcanoCycles cycles(default_config(), Behaviour::exact(), options);
  NodeShard shard;
  shard.meta.name = "volcano";
  shard.nodes_desired = {"n0", "n70"};
  cycles.add(a_volcano_node("n0").cpu("1")).add_object(shard);
  cycles.run();
  for (int i = 1; i < 80; ++i) cycles.add(a_volcano_node("n" + std::to_string(i)).cpu("1"));
  cycles.run();
  EXPECT_EQ(cycles.cluster().shard().size(), cycles.cluster().books().node_count());
  EXPECT_TRUE(cycles.cluster().in_shard(cycles.cluster().books().find_node("n70")));
}

// Several pods that ask for nothing are not counted on one free place.
TEST(Mended, SafeCountsAPlaceForBestEffortPodsOnce) {
  VolcanoCycles cycles(a_config({an_option("gang"), an_option("predicates")}), Behaviour::safe());
  cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4").has("pods", "2"));
  cycles.add(a_pod_group("job").minimum(3)).add(a_volcano_pod("j-w-0").group("job").cpu("1"));
  for (const char* pod : {"j-w-1", "j-w-2"}) cycles.add(a_volcano_pod(pod).group("job"));
  EXPECT_EQ(cycles.run().binds, Names{});
}

// Without gang a job is visited once per task; also when a later action has looked at it, the next cycle says what the first said.
TEST(Mended, AHopelessJobThatBackfillLooksAtSaysTheSameInEveryCycle) {
  VolcanoCycles cycles(a_config({an_option("predicates")}));
  cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4"));
  cycles.add(a_pod_group("job").minimum(3)).add(a_volcano_pod("j-w-2").group("job").select("disk", "ssd"));
  for (const char* pod : {"j-w-0", "j-w-1"}) cycles.add(a_volcano_pod(pod).group("job").cpu("9"));
  const auto first = cycles.run().events;
  const auto second = cycles.run();
  EXPECT_EQ(second.events, first);
  EXPECT_EQ(second.pod_conditions, Names{});
}

}  // namespace
}  // namespace muster::volcano
