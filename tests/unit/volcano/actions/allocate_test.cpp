#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

using List = std::vector<std::string>;

class AllocateTest : public testing::Test {
 protected:
  AllocateTest() : AllocateTest({an_option("gang"), an_option("predicates"), an_option("proportion")}) {}
  explicit AllocateTest(std::vector<PluginOption> plugins) : cycles(a_config(std::move(plugins), {"allocate", "backfill"})) {
    cycles.add(a_volcano_queue("default"));
  }
  void add_job(const std::string& name, int minimum, int pods, const std::string& cpu, const std::string& queue = "default") {
    cycles.add(a_pod_group(name).minimum(minimum).queue(queue).created(++age_));
    for (int i = 0; i < pods; ++i) cycles.add(a_volcano_pod(name + "-w-" + std::to_string(i)).group(name).cpu(cpu));
  }
  VolcanoCycles cycles;

 private:
  std::int64_t age_ = 0;
};

// Without a plugin that limits queues.
class UnlimitedAllocateTest : public AllocateTest {
 protected:
  UnlimitedAllocateTest() : AllocateTest({an_option("gang"), an_option("predicates")}) {}
};

TEST_F(AllocateTest, AJobBelowItsMinimumGoesInOneGoAndThenOnePodPerTurn) {
  cycles.add(a_volcano_node("n1").cpu("10"));
  add_job("a", 2, 3, "1"), add_job("b", 1, 2, "1");
  EXPECT_EQ(cycles.run().order, (List{"a-w-0", "a-w-1", "b-w-0", "a-w-2", "b-w-1"}));
}

TEST_F(AllocateTest, QueuesTakeTurns) {
  cycles.add(a_volcano_node("n1").cpu("10")).add(a_volcano_queue("other").created(9));
  add_job("a", 1, 2, "1"), add_job("b", 1, 2, "1", "other");
  EXPECT_EQ(cycles.run().order, (List{"a-w-0", "b-w-0", "a-w-1", "b-w-1"}));
}

TEST_F(UnlimitedAllocateTest, AJobThatMustWaitForWhatOthersFreeKeepsItsPlaceUndecided) {
  cycles.add(a_volcano_node("n1").cpu("4"));
  cycles.add(a_pod_group("leaving").phase("Running")).add(a_volcano_pod("old").group("leaving").cpu("3").on("n1").terminating());
  add_job("a", 2, 2, "2"), add_job("b", 1, 1, "1");
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.planned, (Names{{"a-w-0", "n1"}, {"a-w-1", "n1"}}));
  EXPECT_EQ(outcome.binds, Names{});  // what is promised to one is not given to another
  EXPECT_EQ(
      outcome.pod_conditions.at("a-w-0"),
      "Unschedulable: Pod default/a-w-0 can possibly be assigned to n1, once resource is released and minAvailable is satisfied");
}

TEST_F(AllocateTest, ANodeThatIsFreeNowIsTakenBeforeOneThatWillBe) {
  cycles.add(a_volcano_node("n1").cpu("4")).add(a_volcano_node("n2").cpu("4"));
  cycles.add(a_volcano_pod("old").cpu("4").on("n1").terminating());
  add_job("a", 1, 1, "2");
  EXPECT_EQ(cycles.run().binds, (Names{{"a-w-0", "n2"}}));
}

TEST_F(UnlimitedAllocateTest, OnceATaskOfARoleHasFailedTheOthersAreSkipped) {
  cycles.add(a_volcano_node("n1").cpu("4"));
  cycles.add(a_pod_group("job").minimum(1));
  cycles.add(a_volcano_pod("j-big-0").group("job").role("worker").cpu("9"));
  cycles.add(a_volcano_pod("j-small-1").group("job").role("worker").cpu("1"));
  cycles.add(a_volcano_pod("j-other-2").group("job").role("ps").cpu("1"));
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, (Names{{"j-other-2", "n1"}}));
  EXPECT_EQ(outcome.pod_conditions.at("j-small-1"),
            "Unschedulable: Task j-small-1 with role spec worker has already predicated failed, skip");
}

TEST_F(UnlimitedAllocateTest, AGangThatCannotReachItsMinimumStopsAtTheFirstFailure) {
  cycles.add(a_volcano_node("n1").cpu("4"));
  add_job("a", 3, 3, "9");
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.pod_conditions.at("a-w-0"), "Unschedulable: 0/1 nodes are unavailable: 1 Insufficient cpu.");
  EXPECT_EQ(outcome.pod_conditions.at("a-w-1").rfind("Unschedulable: pod group is not ready, 3 Pending", 0), 0u);
}

TEST_F(AllocateTest, GatedPodsAreNotPlaced) {
  cycles.add(a_volcano_node("n1").cpu("4"));
  cycles.add(a_pod_group("job"));
  cycles.add(a_volcano_pod("j-w-0").group("job").cpu("1").gate("somebody/else"));
  cycles.add(a_volcano_pod("j-w-1").group("job").cpu("1").gate("scheduling.volcano.sh/queue-allocation-gate"));
  cycles.add(a_volcano_pod("j-w-2").group("job").cpu("1"));
  EXPECT_EQ(cycles.run().binds, (Names{{"j-w-2", "n1"}}));
}

TEST_F(AllocateTest, ANominatedNodeIsTriedFirst) {
  cycles.add(a_volcano_node("n1").cpu("4")).add(a_volcano_node("n2").cpu("4"));
  cycles.add(a_pod_group("job")).add(a_volcano_pod("p").group("job").cpu("1").nominated("n2"));
  EXPECT_EQ(cycles.run().binds, (Names{{"p", "n2"}}));
}

TEST_F(AllocateTest, ANominatedNodeThatIsFullIsNoHindrance) {
  cycles.add(a_volcano_node("n1").cpu("4")).add(a_volcano_node("n2").cpu("4")).add(a_volcano_pod("old").cpu("4").on("n2"));
  cycles.add(a_pod_group("job")).add(a_volcano_pod("p").group("job").cpu("1").nominated("n2"));
  EXPECT_EQ(cycles.run().binds, (Names{{"p", "n1"}}));
}

TEST_F(AllocateTest, JobsThatWereNotLetInWaitForEnqueue) {
  VolcanoCycles with_enqueue(
      a_config({an_option("gang"), an_option("overcommit"), an_option("predicates")}, {"allocate", "enqueue"}));
  with_enqueue.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4"));
  with_enqueue.add(a_pod_group("job").phase("Pending")).add(a_volcano_pod("p").group("job").cpu("1"));
  EXPECT_EQ(with_enqueue.run().binds, Names{});
  EXPECT_EQ(with_enqueue.run().binds, (Names{{"p", "n1"}}));

  cycles.add(a_volcano_node("n1").cpu("4"));  // without the action everybody is let in
  cycles.add(a_pod_group("job").phase("Pending")).add(a_volcano_pod("p").group("job").cpu("1"));
  EXPECT_EQ(cycles.run().binds, (Names{{"p", "n1"}}));
}

TEST_F(AllocateTest, AnOverusedQueueIsLeftOut) {
  cycles.add(a_volcano_node("n1").cpu("4"));
  cycles.add(a_volcano_queue("capped").at_most("cpu", "1"));
  add_job("a", 1, 3, "1", "capped");
  EXPECT_EQ(cycles.run().binds, (Names{{"a-w-0", "n1"}}));
}

TEST_F(AllocateTest, WithoutNodesNothingHappens) {
  add_job("a", 1, 1, "1");
  EXPECT_EQ(cycles.run().binds, Names{});
}

TEST_F(AllocateTest, BoundPodsCountInTheNextCycle) {
  cycles.add(a_volcano_node("n1").cpu("2"));
  add_job("a", 1, 3, "1");
  EXPECT_EQ(cycles.run().order, (List{"a-w-0", "a-w-1"}));
  cycles.bound_pods_run();
  const auto second = cycles.run();
  EXPECT_EQ(second.binds, Names{});
  EXPECT_EQ(second.phases.at("a"), "Running");
}

}  // namespace
}  // namespace muster::volcano
