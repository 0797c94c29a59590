// Phases, events, conditions and queue statuses that a cycle writes.

#include "policy/volcano/status.h"

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class StatusTest : public testing::Test {
 protected:
  explicit StatusTest(Behaviour behaviour = Behaviour::exact())
      : cycles(a_config({an_option("gang"), an_option("predicates")}), behaviour) {
    cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4"));
  }
  VolcanoPodBuilder pod(const std::string& name, const std::string& cpu = "1") { return a_volcano_pod(name).group("job").cpu(cpu); }

  VolcanoCycles cycles;
};

// -------------------------------------------------------------------------------------------------------- phases

TEST_F(StatusTest, PhasesFollowThePods) {
  struct Row {
    const char* why;
    int minimum;
    std::vector<std::string> phases;  // of pods on the node
    const char* before;
    const char* after;
  };
  const Row rows[] = {
      {"enough run", 2, {"Running", "Running"}, "Inqueue", "Running"},
      {"a finished one counts", 2, {"Running", "Succeeded"}, "Inqueue", "Running"},
      {"all are finished", 2, {"Succeeded", "Failed"}, "Running", "Completed"},
      {"bound and not yet running", 1, {"Pending"}, "Inqueue", "Running"},
      {"too few and some run", 3, {"Running"}, "Running", "Unknown"},
      {"too few and none runs", 2, {"Failed"}, "Running", "Pending"},
      {"too few, let in before", 2, {"Failed"}, "Inqueue", "Inqueue"},
  };
  for (const auto& row : rows) {
    VolcanoCycles one(a_config({an_option("gang"), an_option("predicates")}, {"allocate"}));
    one.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4"));
    one.add(a_pod_group("job").minimum(row.minimum).phase(row.before));
    int index = 0;
    for (const auto& phase : row.phases) one.add(pod("p-w-" + std::to_string(index++)).on("n1").phase(phase));
    EXPECT_EQ(one.run().phases.at("job"), row.after) << row.why;
  }
}

TEST_F(StatusTest, APodGroupThatIsBoundStaysInqueueUntilItsPodsAreSeen) {
  cycles.add(a_pod_group("job")).add(pod("p"));
  EXPECT_EQ(cycles.run().phases.at("job"), "Inqueue");
  cycles.bound_pods_run();
  const auto second = cycles.run();
  EXPECT_EQ(second.phases.at("job"), "Running");
  EXPECT_EQ(second.events.at("job"), (std::vector<std::string>{"Normal Scheduled: pod group is ready"}));
}

// -------------------------------------------------------------------------------------------------------- events

constexpr const char* kTooLarge =
    "Warning Unschedulable: 1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 minAvailable; Pending: 1 "
    "Unschedulable. "
    "Origin reason is p: 0/1 nodes are unavailable: 1 Insufficient cpu.";

TEST_F(StatusTest, ExactRepeatsTheEventInEveryCycle) {
  cycles.add(a_pod_group("job")).add(pod("p", "9"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cycles.run().events.at("job"), std::vector<std::string>{kTooLarge}) << i;
}

class SafeStatusTest : public StatusTest {
 protected:
  SafeStatusTest() : StatusTest(Behaviour::safe()) {}
};

TEST_F(SafeStatusTest, SafeSaysItOncePerChangeOfReason) {
  cycles.add(a_pod_group("job")).add(pod("p", "9"));
  EXPECT_EQ(cycles.run().events.at("job"), std::vector<std::string>{kTooLarge});
  EXPECT_FALSE(cycles.run().events.contains("job"));
  cycles.add(a_volcano_node("n2").cpu("4"));
  EXPECT_EQ(cycles.run().events.at("job").size(), 1u);
}

TEST_F(SafeStatusTest, SafeDoesNotWarnOfAJobThatHasItsPlaces) {
  cycles.add(a_pod_group("job")).add(pod("p"));
  const auto placed = cycles.run();
  EXPECT_EQ(placed.phases.at("job"), "Inqueue");
  EXPECT_FALSE(placed.events.contains("job"));
}

// ---------------------------------------------------------------------------------------------------- conditions

TEST_F(StatusTest, APodsConditionIsWrittenWhenItChanges) {
  cycles.add(a_pod_group("job")).add(pod("p", "9"));
  EXPECT_EQ(cycles.run().pod_conditions.at("p"), "Unschedulable: 0/1 nodes are unavailable: 1 Insufficient cpu.");
  EXPECT_FALSE(cycles.run().pod_conditions.contains("p"));
  cycles.add(a_volcano_node("n2").cpu("4"));
  EXPECT_EQ(cycles.run().pod_conditions.at("p"), "Unschedulable: 0/2 nodes are unavailable: 2 Insufficient cpu.");
}

TEST_F(StatusTest, AConditionThatThePodAlreadyHasIsNotWritten) {
  auto object = pod("p", "9").object();
  object.status.conditions.push_back(
      {"PodScheduled", "False", "Unschedulable", "0/1 nodes are unavailable: 1 Insufficient cpu.", "", {}});
  cycles.add(a_pod_group("job")).add_object(object);
  EXPECT_FALSE(cycles.run().pod_conditions.contains("p"));
}

TEST_F(StatusTest, GatedPodsKeepTheConditionTheyHave) {
  cycles.add(a_pod_group("job").minimum(2)).add(pod("p", "9")).add(pod("gated").gate("somebody/else"));
  const auto outcome = cycles.run();
  EXPECT_FALSE(outcome.pod_conditions.contains("gated"));
  EXPECT_TRUE(outcome.pod_conditions.contains("p"));
}

TEST(SetCondition, ReplacesTheOneOfItsTypeOrIsAppended) {
  Job job;
  const auto set = [&](const char* type, const char* reason) {
    set_condition(job, std::make_shared<const Condition>(Condition{type, "True", reason, "", "", {}}));
  };
  set("Unschedulable", "a"), set("Scheduled", "b"), set("Unschedulable", "c");
  ASSERT_EQ(job.status.conditions.size(), 2u);
  EXPECT_EQ(job.status.conditions[0]->reason, "c");
  EXPECT_EQ(job.status.conditions[1]->reason, "b");
}

// -------------------------------------------------------------------------------------------------------- queues

ResourceList amounts(std::initializer_list<std::pair<const char*, const char*>> rows) {
  ResourceList list;
  for (const auto& [name, text] : rows) list[name] = *Quantity::parse(text);
  return list;
}

TEST_F(StatusTest, AQueueSaysWhatItsPodsHold) {
  cycles.add(a_pod_group("job")).add(pod("p").memory("1Gi")).add(pod("old", "2").on("n1"));
  cycles.add(a_volcano_node("n1").cpu("4").memory("4Gi"));
  EXPECT_EQ(cycles.run().queues.at("default"), amounts({{"cpu", "3"}, {"memory", "1Gi"}, {"pods", "2"}}));
  EXPECT_FALSE(cycles.run().queues.contains("default"));  // nothing new
}

TEST_F(StatusTest, WhatIsOnlyAllocatedCountsForTheQueueToo) {
  cycles.add(a_pod_group("job").minimum(2)).add(pod("old", "3").on("n1").terminating());
  for (const char* name : {"j-w-0", "j-w-1"}) cycles.add(pod(name));
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, Names{});
  EXPECT_EQ(outcome.queues.at("default"), amounts({{"cpu", "1"}, {"memory", "0"}, {"pods", "1"}}));
}

TEST_F(StatusTest, ParentsCountWhatTheirChildrenHold) {
  cycles.add(a_volcano_queue("root")).add(a_volcano_queue("team").parent("root")).add(a_volcano_queue("child").parent("team"));
  cycles.add(a_pod_group("job").queue("child")).add(pod("old", "2").on("n1"));
  const auto queues = cycles.run().queues;
  for (const char* queue : {"child", "team", "root"})
    EXPECT_EQ(queues.at(queue), amounts({{"cpu", "2"}, {"memory", "0"}, {"pods", "1"}})) << queue;
  EXPECT_EQ(queues.at("default"), amounts({{"cpu", "0"}, {"memory", "0"}}));
}

TEST_F(StatusTest, AQueueWithoutItsParentCountsForNobodyElse) {
  cycles.add(a_volcano_queue("root")).add(a_volcano_queue("orphan").parent("missing"));
  cycles.add(a_pod_group("job").queue("orphan")).add(pod("old", "2").on("n1"));
  const auto queues = cycles.run().queues;
  EXPECT_EQ(queues.at("root"), amounts({{"cpu", "0"}, {"memory", "0"}}));
}

}  // namespace
}  // namespace muster::volcano
