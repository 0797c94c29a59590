// Queues with amounts of their own, flat and as a tree.

#include "policy/volcano/plugins/capacity.h"

#include <gtest/gtest.h>
#include <limits>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::max();

PluginOption capacity_option(bool hierarchy, int reclaim_level = 0) {
  auto option = an_option("capacity", {{"ancestorReclaimLevel", value_of(reclaim_level)}});
  option.set(Hook::kHierarchy, hierarchy);
  return option;
}

class CapacityTest : public testing::Test {
 protected:
  explicit CapacityTest(bool hierarchy = false) : world(a_config({capacity_option(hierarchy)})) {
    world.add(a_volcano_node("n1").cpu("10").memory("100Gi"));
  }

  // A queue with a job that waits for this much cpu.
  void add(const VolcanoQueueBuilder& queue, const std::string& cpu) {
    const auto name = queue.object().meta.name;
    world.add(queue).add(a_pod_group("job-" + name).queue(name));
    world.add(a_volcano_pod("pod-" + name).group("job-" + name).cpu(cpu));
  }
  void runs(const std::string& pod, const std::string& queue, const std::string& cpu) {
    world.add(a_volcano_pod(pod).group("job-" + queue).cpu(cpu).on("n1"));
  }
  Capacity& plugin() { return *world.session().plugin<Capacity>("capacity"); }
  const QueueShare& share(const std::string& queue) { return plugin().share_of_queue(world.queue(queue)); }
  bool allocatable(const std::string& queue) { return world.session().allocatable(world.queue(queue), world.pod("pod-" + queue)); }
  bool before(const std::string& l, const std::string& r) { return world.session().queue_before(world.queue(l), world.queue(r)); }
  bool preemptive(const std::string& queue) {
    const auto pods = world.pods({"pod-" + queue});
    return world.session().preemptive(world.queue(queue), pods);
  }
  using Names = std::vector<std::string>;
  Names reclaimable(const std::string& reclaimer, const Names& candidates) {
    const auto pods = world.pods(candidates);
    return world.names(plugin().reclaimable(world.pod(reclaimer), pods).victims);
  }

  VolcanoWorld world;
};

TEST_F(CapacityTest, WhatAQueueMayHoldIsItsLimitWithinWhatOthersAreNotGuaranteed) {
  add(a_volcano_queue("plain"), "1");
  add(a_volcano_queue("capped").at_most("cpu", "3"), "1");
  world.add(a_volcano_queue("sure").guaranteed("cpu", "4"));  // counts although it has no jobs
  world.open();
  EXPECT_DOUBLE_EQ(share("plain").real_capability.cpu(), 6000);
  EXPECT_DOUBLE_EQ(share("capped").real_capability.cpu(), 3000);
  EXPECT_DOUBLE_EQ(share("capped").real_capability.memory(), share("plain").real_capability.memory());
  EXPECT_FALSE(share("sure").takes_part);
}

TEST_F(CapacityTest, WhatAQueueDeservesIsWithinItsLimitAndAtLeastItsGuarantee) {
  add(a_volcano_queue("greedy").deserves("cpu", "20").at_most("cpu", "5"), "1");
  add(a_volcano_queue("modest").deserves("cpu", "1").guaranteed("cpu", "2"), "1");
  world.open();
  EXPECT_DOUBLE_EQ(share("greedy").deserved.cpu(), 5000);
  EXPECT_DOUBLE_EQ(share("modest").deserved.cpu(), 2000);
}

TEST_F(CapacityTest, QueuesGoByPriorityThenByShareAndThoseWhoDeserveNothingLast) {
  add(a_volcano_queue("half").deserves("cpu", "4"), "1");
  add(a_volcano_queue("empty").deserves("cpu", "4"), "1");
  add(a_volcano_queue("full").deserves("cpu", "1"), "1");
  add(a_volcano_queue("nothing").created(-5), "1");
  add(a_volcano_queue("first").priority(3), "1");
  runs("r1", "half", "2");
  runs("r2", "full", "1");
  world.open();
  EXPECT_DOUBLE_EQ(share("half").share, 0.5);
  EXPECT_DOUBLE_EQ(share("nothing").share, 1);
  EXPECT_TRUE(before("first", "empty"));
  EXPECT_TRUE(before("empty", "half"));
  EXPECT_TRUE(before("half", "full"));
  EXPECT_TRUE(before("full", "nothing"));  // both at 1, and it is the younger one
}

TEST_F(CapacityTest, PodsAreAllowedUpToTheLimitNotUpToWhatIsDeserved) {
  add(a_volcano_queue("q").deserves("cpu", "1").at_most("cpu", "4"), "2");
  runs("r1", "q", "2");
  world.open();
  EXPECT_TRUE(allocatable("q"));
  Statement statement(world.session());
  statement.allocate(world.pod("pod-q"), world.node("n1"));
  EXPECT_FALSE(allocatable("q"));
  statement.discard();
  EXPECT_TRUE(allocatable("q"));
}

TEST_F(CapacityTest, AClosedQueueTakesNothingButMayBeTriedOut) {
  add(a_volcano_queue("q").closed(), "1");
  world.open();
  EXPECT_FALSE(allocatable("q"));
  EXPECT_FALSE(preemptive("q"));
  EXPECT_FALSE(world.session().job_enqueueable(world.job("job-q")));
  EXPECT_TRUE(world.session().simulate_allocatable(world.queue("q"), world.pod("pod-q")));
}

TEST_F(CapacityTest, JobsAreLetInUpToTheLimit) {
  world.add(a_volcano_queue("q").at_most("cpu", "4"));
  world.add(a_pod_group("first").queue("q").needs("cpu", "3").phase("Pending"));
  world.add(a_pod_group("second").queue("q").needs("cpu", "2").phase("Pending"));
  auto& session = world.open();
  EXPECT_TRUE(session.job_enqueueable(world.job("first")));
  session.job_enqueued(world.job("first"));
  EXPECT_FALSE(session.job_enqueueable(world.job("second")));
  ASSERT_EQ(session.writes().events.size(), 1u);
  EXPECT_EQ(*session.writes().events[0].message, "queue resource quota insufficient: insufficient cpu");
}

TEST_F(CapacityTest, AQueueReclaimsWhileOneResourceStaysWithinWhatItDeserves) {
  add(a_volcano_queue("poor").deserves("cpu", "2"), "1");
  add(a_volcano_queue("rich").deserves("cpu", "2"), "1");
  add(a_volcano_queue("nothing"), "1");
  runs("r1", "rich", "2");
  world.open();
  EXPECT_TRUE(preemptive("poor"));
  EXPECT_FALSE(preemptive("rich"));
  EXPECT_FALSE(preemptive("nothing"));
}

TEST_F(CapacityTest, TakesFromQueuesThatHoldMoreThanTheyDeserve) {
  add(a_volcano_queue("poor").deserves("cpu", "6"), "1");
  add(a_volcano_queue("rich").deserves("cpu", "2"), "1");
  for (const auto* pod : {"r-a-0", "r-a-1", "r-a-2", "r-a-3"}) runs(pod, "rich", "1");
  world.open();
  // The last ones go first, until no more is held than deserved.
  EXPECT_EQ(reclaimable("pod-poor", {"r-a-0", "r-a-1", "r-a-2", "r-a-3"}), (Names{"r-a-3", "r-a-2"}));
}

TEST_F(CapacityTest, LeavesGuaranteesAndThoseWhoDoNotCompete) {
  add(a_volcano_queue("poor").deserves("cpu", "6"), "1");
  add(a_volcano_queue("sure").guaranteed("cpu", "1"), "1");
  add(a_volcano_queue("nothing"), "1");
  runs("s-a-0", "sure", "1");
  runs("n-a-0", "nothing", "1");
  world.add(a_volcano_pod("n-a-1").group("job-nothing").memory("1Gi").on("n1"));
  world.open();
  EXPECT_EQ(reclaimable("pod-poor", {"s-a-0"}), Names());
  EXPECT_EQ(reclaimable("pod-poor", {"n-a-0"}), Names{"n-a-0"});  // who deserves nothing is taken from at once
  EXPECT_EQ(reclaimable("pod-poor", {"n-a-1"}), Names());         // wants memory, the other cpu
}

TEST_F(CapacityTest, GangsTakeByTheSameRulesInTheOrderGiven) {
  add(a_volcano_queue("poor").deserves("cpu", "6"), "1");
  add(a_volcano_queue("rich").deserves("cpu", "2"), "1");
  for (const auto* pod : {"r-a-0", "r-a-1", "r-a-2"}) runs(pod, "rich", "1");
  world.open();
  const auto candidates = world.pods({"r-a-0", "r-a-1", "r-a-2"});
  const auto reclaim = plugin().gang_evictable({GangDemand::Kind::kReclaim, world.job("job-poor").id}, candidates);
  EXPECT_EQ(world.names(reclaim.victims), Names{"r-a-0"});
  const auto preempt = plugin().gang_evictable({GangDemand::Kind::kPreempt, world.job("job-poor").id}, candidates);
  EXPECT_EQ(preempt.victims.size(), 3u);  // within a queue there is nothing to say
}

// ---------------------------------------------------------------------------------------------------------- tree

//   root ─┬─ a ─┬─ a1
//         │     └─ a2
//         └─ b ─── b1
class CapacityTreeTest : public CapacityTest {
 protected:
  CapacityTreeTest() : CapacityTest(true) {}
  VolcanoQueueBuilder child(const std::string& name, const std::string& of) { return a_volcano_queue(name).parent(of); }
  void add_tree() {
    world.add(a_volcano_queue("root")).add(a_volcano_queue("a").at_most("cpu", "6").deserves("cpu", "6"));
    world.add(a_volcano_queue("b").deserves("cpu", "4"));
    add(child("a1", "a").deserves("cpu", "4"), "2");
    add(child("a2", "a").guaranteed("cpu", "1"), "2");
    add(child("b1", "b").deserves("cpu", "4"), "2");
  }
  void set_level(int level) { world.config() = a_config({capacity_option(true, level)}); }
};

TEST_F(CapacityTreeTest, LimitsComeDownFromTheRootWhichHasNone) {
  add_tree();
  world.open();
  EXPECT_EQ(share("root").real_capability.cpu(), kUnlimited);
  EXPECT_DOUBLE_EQ(share("root").deserved.cpu(), 10000);  // its children's
  EXPECT_DOUBLE_EQ(share("a").real_capability.cpu(), 6000);
  EXPECT_DOUBLE_EQ(share("a1").real_capability.cpu(), 5000);  // what a2 is guaranteed is kept
  EXPECT_DOUBLE_EQ(share("a2").real_capability.cpu(), 6000);
  EXPECT_DOUBLE_EQ(share("a2").deserved.cpu(), 1000);
  EXPECT_EQ(share("b1").real_capability.cpu(), kUnlimited);
}

TEST_F(CapacityTreeTest, AncestorsHoldWhatTheirLeavesHold) {
  add_tree();
  runs("r1", "a1", "2");
  runs("r2", "a2", "1");
  world.open();
  EXPECT_DOUBLE_EQ(share("a").allocated.cpu(), 3000);
  EXPECT_DOUBLE_EQ(share("root").allocated.cpu(), 3000);
  EXPECT_DOUBLE_EQ(share("root").request.cpu(), 9000);
  Statement statement(world.session());
  statement.allocate(world.pod("pod-a1"), world.node("n1"));
  EXPECT_DOUBLE_EQ(share("a").allocated.cpu(), 5000);
  EXPECT_DOUBLE_EQ(share("a").share, 0.5);  // its place in the order stays for the cycle
  EXPECT_FALSE(allocatable("a2"));          // a has room for one more only
  statement.discard();
  EXPECT_DOUBLE_EQ(share("root").allocated.cpu(), 3000);
}

TEST_F(CapacityTreeTest, LeavesAreComparedWhereTheirBranchesPart) {
  add_tree();
  runs("r1", "b1", "2");  // b at 0.5, a at 0, though a2 deserves little
  runs("r2", "a2", "1");
  world.open();
  EXPECT_TRUE(before("a2", "b1"));
  EXPECT_TRUE(before("a1", "a2"));
  EXPECT_TRUE(before("a2", "a"));  // leaves before others
}

TEST_F(CapacityTreeTest, LettingInCountsForAllAncestors) {
  add_tree();
  world.add(a_pod_group("big").queue("a1").needs("cpu", "4").phase("Pending"));
  world.add(a_pod_group("more").queue("a2").needs("cpu", "3").phase("Pending"));
  auto& session = world.open();
  EXPECT_TRUE(session.job_enqueueable(world.job("big")));
  session.job_enqueued(world.job("big"));
  EXPECT_FALSE(session.job_enqueueable(world.job("more")));  // fits a2, not a
}

TEST_F(CapacityTreeTest, VictimsComeFromTheNearestRelatives) {
  add_tree();
  world.open();
  EXPECT_LT(plugin().compare_victim_queues(world.queue("a2"), world.queue("b1"), world.queue("a1")), 0);
  EXPECT_GT(plugin().compare_victim_queues(world.queue("a2"), world.queue("b1"), world.queue("b1")), 0);
}

TEST_F(CapacityTreeTest, AnAncestorSpeaksForAQueueThatDeservesNothing) {
  add_tree();
  add(child("a3", "a"), "1");
  world.open();
  EXPECT_FALSE(preemptive("a3"));
  set_level(1);
  world.open();
  EXPECT_TRUE(preemptive("a3"));
}

TEST_F(CapacityTreeTest, AnAncestorProtectsWhoHoldsTooMuch) {
  add_tree();
  runs("v-a-0", "a2", "3");  // more than a2 deserves, less than a does
  world.open();
  EXPECT_EQ(reclaimable("pod-b1", {"v-a-0"}), Names());  // three of which one is guaranteed
  runs("v-a-1", "a2", "1");
  world.open();
  EXPECT_EQ(reclaimable("pod-b1", {"v-a-1"}), Names{"v-a-1"});
  set_level(1);
  world.open();
  EXPECT_EQ(reclaimable("pod-b1", {"v-a-1"}), Names());
  EXPECT_EQ(reclaimable("pod-a1", {"v-a-1"}), Names{"v-a-1"});  // within the branch nobody else is asked
}

TEST_F(CapacityTreeTest, SiblingsThatDeserveNothingLeaveEachOtherAlone) {
  add_tree();
  add(child("x", "b"), "1");
  add(child("y", "b"), "1");
  runs("v-y-0", "y", "1");
  world.open();
  EXPECT_EQ(reclaimable("pod-x", {"v-y-0"}), Names{"v-y-0"});
  set_level(1);
  world.open();
  EXPECT_EQ(reclaimable("pod-x", {"v-y-0"}), Names());
}

// -------------------------------------------------------------------------------------------------- broken trees

struct BrokenTree {
  const char* what;
  std::vector<VolcanoQueueBuilder> queues;
  const char* job_in;
  QueueTree::Fault fault;
  const char* warning;
};

class BrokenTreeTest : public testing::TestWithParam<BrokenTree> {};

TEST_P(BrokenTreeTest, StopsThePluginAndNothingElse) {
  VolcanoWorld world(a_config({capacity_option(true)}));
  world.memory().behaviour = Behaviour::exact();
  world.add(a_volcano_node("n1").cpu("10"));
  for (const auto& queue : GetParam().queues) world.add(queue);
  const std::string queue = GetParam().job_in;
  world.add(a_pod_group("job").queue(queue).needs("cpu", "1").phase("Pending"));
  world.add(a_volcano_pod("pod").group("job").cpu("1"));
  world.add(a_volcano_pod("held").group("job").cpu("1").on("n1"));
  auto& session = world.open();
  auto& plugin = *session.plugin<Capacity>("capacity");
  const auto pods = world.pods({"held"});
  EXPECT_TRUE(plugin.is_stopped());
  EXPECT_EQ(plugin.tree()->fault(), GetParam().fault);
  EXPECT_EQ(session.writes().warnings, std::vector<std::string>{GetParam().warning});
  EXPECT_FALSE(session.allocatable(world.queue(queue), world.pod("pod")));
  EXPECT_FALSE(session.simulate_allocatable(world.queue(queue), world.pod("pod")));
  EXPECT_FALSE(session.job_enqueueable(world.job("job")));
  EXPECT_FALSE(session.preemptive(world.queue(queue), pods));
  EXPECT_EQ(plugin.reclaimable(world.pod("pod"), pods).vote, Vote::kReject);
  EXPECT_EQ(plugin.gang_evictable({GangDemand::Kind::kReclaim, world.job("job").id}, pods).vote, Vote::kReject);
  EXPECT_EQ(plugin.compare_queues(world.queue(queue), world.queue(queue)), 0);
  EXPECT_EQ(plugin.compare_victim_queues(world.queue(queue), world.queue(queue), world.queue(queue)), 0);
  session.job_enqueued(world.job("job"));
  Statement statement(session);
  statement.allocate(world.pod("pod"), world.node("n1"));
  statement.discard();
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenTreeTest,
    testing::Values(
        BrokenTree{"no root",
                   {a_volcano_queue("q")},
                   "q",
                   QueueTree::Fault::kNoRoot,
                   "there is no queue root, so capacity places nothing at all: create it"},
        BrokenTree{"no parent",
                   {a_volcano_queue("root"), a_volcano_queue("q"), a_volcano_queue("lost").parent("nobody")},
                   "q",
                   QueueTree::Fault::kNoParent,
                   "the parent nobody of queue lost does not exist, so capacity places nothing at all: create it, or use "
                   "--behaviour safe, in which only the jobs below wait"},
        BrokenTree{
            "jobs inside",
            {a_volcano_queue("root"), a_volcano_queue("q"), a_volcano_queue("child").parent("q")},
            "q",
            QueueTree::Fault::kJobsInside,
            "the job default/job is in queue q, which has queues below it, so capacity places nothing at all: move the job to "
            "a leaf, or use --behaviour safe, in which only such jobs wait"},
        BrokenTree{
            "own parent",
            {a_volcano_queue("root"), a_volcano_queue("q").parent("q")},
            "q",
            QueueTree::Fault::kJobsInside,
            "the job default/job is in queue q, which has queues below it, so capacity places nothing at all: move the job to "
            "a leaf, or use --behaviour safe, in which only such jobs wait"}),
    [](const auto& tree) {
      std::string name = tree.param.what;
      for (auto& c : name)
        if (c == ' ') c = '_';
      return name;
    });

TEST_F(CapacityTreeTest, SafeConfinesAJobOfAnInnerQueue) {
  add_tree();
  world.add(a_pod_group("job-a").queue("a").needs("cpu", "6").phase("Inqueue")).add(a_volcano_pod("pod-a").group("job-a").cpu("1"));
  world.add(a_pod_group("new-a").queue("a").phase("Pending"));
  world.add(a_pod_group("new-a1").queue("a1").needs("cpu", "5").phase("Pending"));
  runs("r-a-0", "a", "1");
  auto& session = world.open();
  EXPECT_FALSE(plugin().is_stopped());
  EXPECT_FALSE(allocatable("a"));
  EXPECT_FALSE(preemptive("a"));
  EXPECT_EQ(plugin().reclaimable(world.pod("pod-a"), world.pods({"r-a-0"})).vote, Vote::kReject);
  EXPECT_FALSE(session.job_enqueueable(world.job("new-a")));
  for (const auto* queue : {"a1", "a2", "b1"}) EXPECT_TRUE(allocatable(queue)) << queue;
  EXPECT_DOUBLE_EQ(share("a").allocated.cpu(), 1000);         // what runs there counts
  EXPECT_TRUE(session.job_enqueueable(world.job("new-a1")));  // and what was promised to it does not
  EXPECT_EQ(session.writes().warnings,
            Names{"queue a has queues below it, and jobs of its own, which wait: only leaves take jobs"});
  world.memory().behaviour = Behaviour::safe().with(Quirk::kOneFaultStopsAll);
  world.open();
  EXPECT_FALSE(allocatable("b1"));
}

TEST_F(CapacityTreeTest, SafeConfinesWhatHangsBelowAParentThatDoesNotExist) {
  world.add(a_volcano_queue("root").at_most("cpu", "3"));
  add(a_volcano_queue("here"), "2");
  world.add(child("lost", "nobody"));
  add(child("below", "lost"), "1");
  runs("r-below-0", "below", "1");
  auto& session = world.open();
  EXPECT_FALSE(plugin().is_stopped());
  EXPECT_FALSE(allocatable("below"));
  EXPECT_FALSE(preemptive("below"));
  EXPECT_TRUE(allocatable("here"));
  EXPECT_DOUBLE_EQ(share("root").allocated.cpu(), 1000);
  EXPECT_EQ(plugin().tree()->fault_of(world.cluster(), world.queue("below")),
            std::pair(QueueTree::Fault::kNoParent, world.queue("lost")));
  EXPECT_EQ(session.writes().warnings,
            Names{"the parent nobody of queue lost does not exist: the jobs of this queue and of those below it wait"});
  runs("r-below-1", "below", "1");  // of the root's three one is left
  world.open();
  EXPECT_FALSE(allocatable("here"));
  plugin().on_deallocate(world.pod("r-below-1"));  // evicted: the root has it back
  EXPECT_DOUBLE_EQ(share("root").allocated.cpu(), 1000);
  EXPECT_TRUE(allocatable("here"));
  plugin().on_allocate(world.pod("r-below-1"));
  EXPECT_FALSE(allocatable("here"));
}

TEST_F(CapacityTreeTest, QueuesInACircleHoldNothingAndStopNobodyElse) {
  add_tree();
  world.add(child("c", "d")).add(child("d", "c"));
  add(child("e", "c"), "1");
  world.open();
  EXPECT_FALSE(plugin().is_stopped());
  EXPECT_FALSE(allocatable("e"));
  EXPECT_TRUE(allocatable("a1"));
  EXPECT_EQ(before("e", "a1"), !before("a1", "e"));
  for (const auto* queue : {"c", "d", "e"})
    EXPECT_EQ(plugin().tree()->fault_of(world.cluster(), world.queue(queue)).first, QueueTree::Fault::kCircle) << queue;
}

TEST_F(CapacityTreeTest, ADeepTreeIsNoTrouble) {
  world.add(a_volcano_queue("root"));
  std::string parent = "root";
  for (int depth = 0; depth < 2000; ++depth) {
    const auto name = "q" + std::to_string(depth);
    world.add(child(name, parent));
    parent = name;
  }
  add(child("leaf", parent), "1");
  world.open();
  EXPECT_TRUE(allocatable("leaf"));
}

}  // namespace
}  // namespace muster::volcano
