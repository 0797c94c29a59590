#include "policy/volcano/actions/topology_allocate.h"

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class TopologyAllocateTest : public testing::Test {
 protected:
  TopologyAllocateTest()
      : cycles(a_config({an_option("gang"), an_option("predicates"), an_option("network-topology-aware")}, {"allocate"})) {
    cycles.add(a_volcano_queue("default"));
    for (const char* name : {"a1", "a2", "b1", "b2"}) cycles.add(a_volcano_node(name).cpu("4"));
    cycles.add(a_hyper_node("a", 1).node("a1").node("a2")).add(a_hyper_node("b", 1).node("b1").node("b2"));
    cycles.add(a_hyper_node("spine", 2).child("a").child("b"));
  }
  void add_pods(const std::string& job, int count, const std::string& cpu, const std::string& slice = "") {
    for (int i = 0; i < count; ++i) {
      auto pod = a_volcano_pod(job + "-w-" + slice + std::to_string(i)).group(job).cpu(cpu);
      if (!slice.empty()) pod.label("slice", slice);
      cycles.add(pod);
    }
  }
  // The first letters of the nodes that pods were bound to, one per pod.
  static std::string racks(const CycleOutcome& outcome) {
    std::string out;
    for (const auto& [pod, node] : outcome.binds) out += node[0];
    return out;
  }

  VolcanoCycles cycles;
};

TEST_F(TopologyAllocateTest, AGangStaysWithinTheTier) {
  cycles.add(a_pod_group("job").minimum(4).within(1));
  add_pods("job", 4, "2");
  EXPECT_EQ(racks(cycles.run()), "aaaa");
}

TEST_F(TopologyAllocateTest, AGangThatFitsNoDomainOfTheTierWaits) {
  cycles.add(a_pod_group("job").minimum(5).within(1));
  add_pods("job", 5, "2");
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, Names{});
  EXPECT_EQ(outcome.planned, Names{});
}

TEST_F(TopologyAllocateTest, ANarrowDomainIsTakenBeforeAWideOne) {
  cycles.add(a_volcano_pod("old").cpu("4").on("a1"));
  cycles.add(a_pod_group("job").minimum(3).within(2));
  add_pods("job", 3, "2");
  EXPECT_EQ(racks(cycles.run()), "bbb");
}

TEST_F(TopologyAllocateTest, WhatFitsNoNarrowDomainGoesToAWiderOne) {
  cycles.add(a_pod_group("job").minimum(6).close());
  add_pods("job", 6, "2");
  EXPECT_EQ(cycles.run().binds.size(), 6u);
}

TEST_F(TopologyAllocateTest, TheFullerDomainIsBetter) {
  cycles.add(a_volcano_pod("old").cpu("1").on("b1"));
  cycles.add(a_pod_group("job").minimum(2).within(1));
  add_pods("job", 2, "2");
  EXPECT_EQ(racks(cycles.run()), "bb");
}

TEST_F(TopologyAllocateTest, LaterPodsFollowTheirJob) {
  cycles.add(a_pod_group("job").minimum(2).within(1));
  add_pods("job", 2, "1");
  EXPECT_EQ(racks(cycles.run()), "aa");
  cycles.bound_pods_run();
  cycles.add(a_volcano_pod("full").cpu("3").on("a1"));
  cycles.add(a_volcano_pod("job-w-9").group("job").cpu("1"));
  EXPECT_EQ(racks(cycles.run()), "a");
}

TEST_F(TopologyAllocateTest, RefusalsNameTheDomain) {
  cycles.add(a_pod_group("job").minimum(3).within(1));
  add_pods("job", 3, "4");
  EXPECT_EQ(cycles.run().pod_conditions.at("job-w-2"),
            "Unschedulable: In hyperNode b: 0/2 nodes are unavailable: 2 Insufficient cpu.");
}

TEST_F(TopologyAllocateTest, WhileTheTreeIsBrokenOnlyJobsWithATopologyWait) {
  cycles.add(a_hyper_node("other", 2).child("a"));
  cycles.add(a_pod_group("job").within(1)).add(a_pod_group("plain"));
  add_pods("job", 1, "1");
  add_pods("plain", 1, "1");
  EXPECT_EQ(cycles.run().binds.size(), 1u);
}

TEST_F(TopologyAllocateTest, SubJobsHaveDomainsOfTheirOwn) {
  cycles.add(a_pod_group("job").minimum(4).sub_groups("slices", "slice", 2, 2, 1));
  add_pods("job", 2, "3", "0");
  add_pods("job", 2, "3", "1");
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds.size(), 4u);
  EXPECT_EQ(outcome.binds.at("job-w-00")[0], outcome.binds.at("job-w-01")[0]);
  EXPECT_EQ(outcome.binds.at("job-w-10")[0], outcome.binds.at("job-w-11")[0]);
}

TEST_F(TopologyAllocateTest, ASubJobThatIsNotNeededMayStayIncomplete) {
  cycles.add(a_pod_group("job").minimum(2).sub_groups("slices", "slice", 2, 1, 1));
  add_pods("job", 2, "4", "0");
  add_pods("job", 2, "4", "1");
  add_pods("job", 2, "4", "2");
  EXPECT_EQ(cycles.run().binds.size(), 4u);
}

TEST_F(TopologyAllocateTest, TooFewCompleteSubJobsPlaceNobody) {
  cycles.add(a_pod_group("job").minimum(2).sub_groups("slices", "slice", 3, 2, 1));
  add_pods("job", 3, "2", "0");
  add_pods("job", 3, "4", "1");
  EXPECT_EQ(cycles.run().binds, Names{});
}

TEST_F(TopologyAllocateTest, ANominationIsRedeemedWhereAllItsNodesAreStillFree) {
  cycles.add(a_pod_group("job").minimum(2).within(1));
  for (int i = 0; i < 2; ++i)
    cycles.add(a_volcano_pod("job-w-" + std::to_string(i)).group("job").cpu("1").nominated(i == 0 ? "b1" : "b2"));
  // Nominations live within a cycle, so it is played by hand.
  Memory memory;
  const auto config = a_config({an_option("gang"), an_option("predicates")}, {"allocate"});
  Session session(cycles.cluster(), config, cycles.now, memory);
  session.open();
  auto& job = cycles.cluster().job(cycles.cluster().find_job("default/job"));
  auto& sub_job = job.sub_jobs->all()[0];
  session.nominate(job, &sub_job, session.hyper_tree().find("b"));
  TaskPlacer placer(session);
  TopologyAllocate topology(session, placer);
  JobWorksheet worksheet(session, job, GatedTasks::kOwnGate);
  auto statement = topology.place(job, worksheet);
  ASSERT_TRUE(statement);
  EXPECT_TRUE(worksheet.empty());
  statement->commit("allocate");
  topology.settle(job);
  EXPECT_EQ(sub_job.allocated, session.hyper_tree().find("b"));
  EXPECT_FALSE(sub_job.nominated);
  session.close();
}

}  // namespace
}  // namespace muster::volcano
