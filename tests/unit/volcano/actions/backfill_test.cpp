#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class BackfillTest : public testing::Test {
 protected:
  BackfillTest() { cycles.add(a_volcano_queue("default")); }
  VolcanoCycles cycles{a_config({an_option("gang"), an_option("predicates"), an_option("proportion")}, {"allocate", "backfill"})};
};

TEST_F(BackfillTest, PodsThatAskForNothingGoToFullNodesToo) {
  cycles.add(a_volcano_node("n1").cpu("1")).add(a_volcano_pod("old").cpu("1").on("n1"));
  cycles.add(a_pod_group("job")).add(a_volcano_pod("free").group("job"));
  EXPECT_EQ(cycles.run().binds, (Names{{"free", "n1"}}));
}

TEST_F(BackfillTest, TheNumberOfPodsIsStillALimit) {
  cycles.add(a_volcano_node("n1").cpu("1").has("pods", "2")).add(a_volcano_pod("old").cpu("1").on("n1"));
  cycles.add(a_pod_group("job"));
  for (const char* pod : {"a", "b"}) cycles.add(a_volcano_pod(pod).group("job"));
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, (Names{{"a", "n1"}}));
  EXPECT_EQ(outcome.pod_conditions.at("b"), "Unschedulable: 0/1 nodes are unavailable: 1 node(s) pod number exceeded.");
}

TEST_F(BackfillTest, FiltersAreAsked) {
  cycles.add(a_volcano_node("n1").cpu("1")).add(a_volcano_node("n2").cpu("1").label("disk", "ssd"));
  cycles.add(a_pod_group("job")).add(a_volcano_pod("p").group("job").select("disk", "ssd"));
  EXPECT_EQ(cycles.run().binds, (Names{{"p", "n2"}}));
}

TEST_F(BackfillTest, OfAGangThatIsNotReadyNothingIsBound) {
  cycles.add(a_volcano_node("n1").cpu("1"));
  cycles.add(a_pod_group("job").minimum(2))
      .add(a_volcano_pod("j-w-0").group("job"))
      .add(a_volcano_pod("j-w-1").group("job").cpu("9"));
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, Names{});
  EXPECT_EQ(outcome.planned, (Names{{"j-w-0", "n1"}}));
  EXPECT_EQ(cycles.run().binds, Names{});  // and nothing is left of the plan
}

TEST_F(BackfillTest, GatedPodsAndJobsNotLetInAreLeftAside) {
  VolcanoCycles waiting(a_config({an_option("gang"), an_option("predicates")}, {"backfill"}));
  waiting.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("1"));
  waiting.add(a_pod_group("pending").phase("Pending")).add(a_volcano_pod("a").group("pending"));
  waiting.add(a_pod_group("job")).add(a_volcano_pod("b").group("job").gate("somebody/else"));
  EXPECT_EQ(waiting.run().binds, Names{});
}

TEST_F(BackfillTest, QueuesAreServedOneAfterTheOther) {
  cycles.add(a_volcano_queue("other").created(5)).add(a_volcano_node("n1").cpu("1"));
  cycles.add(a_pod_group("a").created(1)).add(a_volcano_pod("a-w-0").group("a")).add(a_volcano_pod("a-w-1").group("a"));
  cycles.add(a_pod_group("b").queue("other").created(2)).add(a_volcano_pod("b-w-0").group("b"));
  EXPECT_EQ(cycles.run().order, (std::vector<std::string>{"a-w-0", "a-w-1", "b-w-0"}));
}

}  // namespace
}  // namespace muster::volcano
