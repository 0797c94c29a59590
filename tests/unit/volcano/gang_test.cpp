// All or nothing, and what the PodGroup says about it.

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class GangTest : public testing::Test {
 protected:
  GangTest() { cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4")); }
  void add_gang(const std::string& name, int minimum, int pods, const std::string& cpu = "2", std::int64_t created = 0) {
    cycles.add(a_pod_group(name).minimum(minimum).created(created));
    for (int i = 0; i < pods; ++i) cycles.add(a_volcano_pod(name + "-w-" + std::to_string(i)).group(name).cpu(cpu));
  }

  VolcanoCycles cycles{a_config({an_option("gang"), an_option("predicates")})};
};

TEST_F(GangTest, AGangIsBoundWhole) {
  add_gang("job", 2, 2);
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, (Names{{"job-w-0", "n1"}, {"job-w-1", "n1"}}));
  EXPECT_EQ(outcome.conditions.at("job"), "Scheduled: tasks in gang are ready to be scheduled");
}

TEST_F(GangTest, AGangThatDoesNotFitIsNotBoundAtAll) {
  add_gang("job", 3, 3);
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, Names{});
  EXPECT_EQ(outcome.planned, Names{});
  EXPECT_EQ(outcome.conditions.at("job"),
            "Unschedulable: 1/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; Pending: 1 "
            "Unschedulable, "
            "2 Schedulable. Origin reason is job-w-2: 0/1 nodes are unavailable: 1 Insufficient cpu.");
  EXPECT_EQ(outcome.pod_conditions.at("job-w-0"),
            "Schedulable: Pod default/job-w-0 can possibly be assigned to n1, once minAvailable is satisfied");
  EXPECT_EQ(outcome.pod_conditions.at("job-w-2"), "Unschedulable: 0/1 nodes are unavailable: 1 Insufficient cpu.");
}

TEST_F(GangTest, BeyondItsMinimumAJobIsElastic) {
  add_gang("job", 1, 3);
  EXPECT_EQ(cycles.run().binds.size(), 2u);
}

TEST_F(GangTest, AJobWithTooFewPodsIsNotTried) {
  add_gang("job", 3, 2, "1");
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, Names{});
  EXPECT_EQ(outcome.conditions.at("job"),
            "Unschedulable: 3/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 3 minAvailable; Pending: 2 "
            "Unschedulable");
}

TEST_F(GangTest, WhoIsNotReadyGoesFirst) {
  cycles.add(a_pod_group("ready").minimum(1).created(1));
  cycles.add(a_volcano_pod("ready-w-0").group("ready").cpu("1").on("n1")).add(a_volcano_pod("ready-w-1").group("ready").cpu("3"));
  add_gang("waiting", 1, 1, "3", 2);
  EXPECT_EQ(cycles.run().binds, (Names{{"waiting-w-0", "n1"}}));
}

TEST_F(GangTest, AGangWhosePodsOnlyLeaveSaysNothing) {
  cycles.add(a_pod_group("job").minimum(1));
  cycles.add(a_volcano_pod("job-w-0").group("job").cpu("1").on("n1").terminating());
  EXPECT_FALSE(cycles.run().conditions.contains("job"));
}

TEST_F(GangTest, AJobWithoutPodsSaysNothing) {
  cycles.add(a_pod_group("job").minimum(1));
  EXPECT_FALSE(cycles.run().conditions.contains("job"));
}

TEST_F(GangTest, RoleMinimumsHoldTheGangBack) {
  cycles.add(a_pod_group("job").minimum(2).role_minimum("ps", 1).role_minimum("worker", 1));
  cycles.add(a_volcano_pod("job-worker-0").group("job").role("worker").cpu("1").priority(9));
  cycles.add(a_volcano_pod("job-worker-1").group("job").role("worker").cpu("1").priority(9));
  cycles.add(a_volcano_pod("job-ps-0").group("job").role("ps").cpu("9"));
  EXPECT_EQ(cycles.run().binds, Names{});
  cycles.add(a_volcano_node("n2").cpu("9"));
  EXPECT_EQ(cycles.run().binds.size(), 3u);
}

}  // namespace
}  // namespace muster::volcano
