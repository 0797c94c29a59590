// When a gang counts as valid, ready or pipelined.

#include "policy/volcano/job.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

class JobTest : public testing::Test {
 protected:
  JobTest() {
    world.add(a_volcano_queue("default"));
    world.add(a_volcano_node("n1").cpu("8"));
  }
  JobCounts counts() { return JobCounts(world.cluster().books(), world.job("job")); }
  VolcanoPodBuilder pod(const std::string& name) { return a_volcano_pod(name).group("job").cpu("1"); }
  void move(const std::string& name, PodState state) { world.cluster().move(world.pod(name), state, world.node("n1")); }

  VolcanoWorld world;
};

TEST_F(JobTest, EveryStateCountsWhereTheOriginalCountsIt) {
  struct Row {
    PodState state;
    int ready, waiting, valid;
  };
  const Row rows[] = {
      {PodState::kPending, 0, 0, 1},   {PodState::kAllocated, 1, 0, 1}, {PodState::kPipelined, 0, 1, 1},
      {PodState::kBinding, 1, 0, 1},   {PodState::kBound, 1, 0, 1},     {PodState::kRunning, 1, 0, 1},
      {PodState::kReleasing, 0, 0, 0}, {PodState::kSucceeded, 1, 0, 1}, {PodState::kFailed, 0, 0, 0},
      {PodState::kUnknown, 0, 0, 0},
  };
  world.add(a_pod_group("job")).add(pod("p"));
  for (const auto& row : rows) {
    move("p", row.state);
    EXPECT_EQ(counts().ready(), row.ready) << name_of(row.state);
    EXPECT_EQ(counts().waiting(), row.waiting) << name_of(row.state);
    EXPECT_EQ(counts().valid(), row.valid) << name_of(row.state);
    EXPECT_EQ(counts().is_ready(), row.ready == 1) << name_of(row.state);
    EXPECT_EQ(counts().is_pipelined(), row.ready + row.waiting == 1) << name_of(row.state);
  }
}

TEST_F(JobTest, PendingPodsThatAskForNothingCountTowardsReadiness) {
  world.add(a_pod_group("job").minimum(2)).add(pod("p")).add(a_volcano_pod("free").group("job"));
  EXPECT_FALSE(counts().is_ready());
  move("p", PodState::kAllocated);
  EXPECT_TRUE(counts().is_ready());
  EXPECT_EQ(counts().ready(), 1);
}

TEST_F(JobTest, RolesHaveMinimumsOfTheirOwn) {
  world.add(a_pod_group("job").minimum(2).role_minimum("ps", 1).role_minimum("worker", 1));
  world.add(pod("a").role("worker")).add(pod("b").role("worker"));
  EXPECT_FALSE(counts().roles_valid());  // no ps at all
  world.add(pod("c").role("ps"));
  EXPECT_TRUE(counts().roles_valid());
  move("a", PodState::kAllocated), move("b", PodState::kAllocated);
  EXPECT_TRUE(counts().is_ready());
  EXPECT_FALSE(counts().roles_ready());
  move("c", PodState::kPipelined);
  EXPECT_TRUE(counts().roles_pipelined());
  EXPECT_FALSE(counts().roles_ready());
}

TEST_F(JobTest, ARoleIsAnAnnotationOrElseALabel) {
  const auto labelled = [&](const char* name) { return pod(name).label("volcano.sh/task-spec", "ps"); };
  world.add(a_pod_group("job").minimum(2).role_minimum("ps", 2)).add(labelled("a")).add(labelled("b").role("worker"));
  EXPECT_FALSE(counts().roles_valid());
  world.add(labelled("b").role(""));  // says nothing
  EXPECT_TRUE(counts().roles_valid());
}

TEST_F(JobTest, RolesAreIgnoredWhenTheirSumExceedsTheJobsMinimum) {
  world.add(a_pod_group("job").minimum(1).role_minimum("ps", 2)).add(pod("a").role("worker"));
  EXPECT_FALSE(counts().roles_matter());
  EXPECT_TRUE(counts().roles_valid());
  EXPECT_TRUE(counts().roles_ready());
}

TEST_F(JobTest, AChangedPodGroupForgetsRolesThatItNoLongerNames) {
  world.add(a_pod_group("job").minimum(3).role_minimum("ps", 2)).add(pod("a"));
  EXPECT_FALSE(counts().roles_valid());
  world.add(a_pod_group("job").minimum(1));
  EXPECT_TRUE(counts().roles_valid());
  EXPECT_EQ(world.job("job").role_minimum_total, 0);
}

TEST_F(JobTest, PhasesHaveNames) {
  for (const auto phase : {Phase::kPending, Phase::kInqueue, Phase::kRunning, Phase::kUnknown, Phase::kCompleted})
    EXPECT_EQ(phase_of(name_of(phase)), phase);
  EXPECT_EQ(phase_of(""), Phase::kPending);
  EXPECT_EQ(phase_of("Whatever"), Phase::kPending);
}

TEST(FitErrors, TextCountsReasonsSortedAsStrings) {
  FitTable table;
  FitErrors errors;
  errors.nodes = 12;
  errors.reasons = {{table.reason("b"), 2}, {table.reason("a"), 10}, {table.reason(""), 5}};
  EXPECT_EQ(*errors.message(table), "0/12 nodes are unavailable: 10 a, 2 b.");
}

TEST(FitErrors, AHeadReplacesTheCountOfNodes) {
  FitTable table;
  FitErrors errors;
  errors.head = "Task x failed";
  EXPECT_EQ(*errors.message(table), "Task x failed");
}

TEST_F(JobTest, NotesAreKeptPerTask) {
  world.add(a_pod_group("job")).add(pod("a")).add(pod("b"));
  auto& notes = world.job("job").take_notes();
  EXPECT_EQ(notes.find(world.pod("a")), nullptr);
  notes.task(world.pod("a")).last = LastTransaction{PodState::kAllocated, world.node("n1"), false};
  notes.task(world.pod("b"));
  EXPECT_EQ(notes.find(world.pod("a"))->last->state, PodState::kAllocated);
  EXPECT_EQ(notes.tasks().size(), 2u);
  EXPECT_EQ(&world.job("job").take_notes(), &notes);
}

}  // namespace
}  // namespace muster::volcano
