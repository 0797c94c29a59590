#include "policy/volcano/statement.h"

#include <gtest/gtest.h>

#include "policy/volcano/status.h"
#include "support/books_snapshot.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

class StatementTest : public testing::Test {
 protected:
  StatementTest() : world(a_config({an_option("gang"), an_option("predicates")})) {
    world.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4")).add(a_volcano_node("n2").cpu("4"));
    world.add(a_pod_group("job").minimum(2));
    for (const char* pod : {"a", "b", "c"}) world.add(a_volcano_pod(pod).group("job").cpu("2"));
    world.open();
  }
  PodState state(const std::string& pod) { return books().pod(world.pod(pod)).state; }
  std::int64_t idle(const std::string& node) { return books().ledgers().idle[kCpu.index()][world.node(node).index()]; }
  const Books& books() { return world.session().books(); }

  VolcanoWorld world;
};

TEST_F(StatementTest, PlacementsTakeEffectAtOnce) {
  Statement statement(world.session());
  ASSERT_TRUE(statement.allocate(world.pod("a"), world.node("n1")));
  ASSERT_TRUE(statement.pipeline(world.pod("b"), world.node("n2")));
  EXPECT_EQ(state("a"), PodState::kAllocated);
  EXPECT_EQ(state("b"), PodState::kPipelined);
  EXPECT_EQ(idle("n1"), 2000);
  EXPECT_EQ(idle("n2"), 4000);  // pipelined pods wait for what others free
  EXPECT_EQ(books().free_later(kCpu, world.node("n2")), 2000);
  EXPECT_EQ(books().pods_present(world.node("n1")).size(), 1u);
  EXPECT_EQ(statement.size(), 2u);
  statement.discard();
}

TEST_F(StatementTest, DiscardReturnsEverythingAndRemembersWhatWasPlanned) {
  const auto before = snapshot_of(books());
  Statement statement(world.session());
  statement.allocate(world.pod("a"), world.node("n1"));
  statement.pipeline(world.pod("b"), world.node("n2"));
  statement.discard();
  EXPECT_EQ(snapshot_of(books()), before);
  EXPECT_TRUE(statement.empty());
  EXPECT_EQ(world.session().work().undo_steps, 2u);
  auto& job = world.job("job");
  EXPECT_EQ(*task_reason(world.session(), job, world.pod("a")).message,
            "Pod default/a can possibly be assigned to n1, once minAvailable is satisfied");
  EXPECT_EQ(task_reason(world.session(), job, world.pod("a")).reason, "Schedulable");
  EXPECT_EQ(*task_reason(world.session(), job, world.pod("b")).message,
            "Pod default/b can possibly be assigned to n2, once resource is released and minAvailable is satisfied");
  EXPECT_EQ(task_reason(world.session(), job, world.pod("b")).reason, "Unschedulable");
  EXPECT_EQ(task_reason(world.session(), job, world.pod("c")).message, nullptr);
}

TEST_F(StatementTest, CommitBindsAllocationsInOrderAndLeavesPipelinedOnes) {
  Statement statement(world.session());
  statement.allocate(world.pod("b"), world.node("n1"));
  statement.pipeline(world.pod("c"), world.node("n2"));
  statement.allocate(world.pod("a"), world.node("n1"));
  statement.commit("allocate");
  const auto& outbox = world.session().outbox();
  ASSERT_EQ(outbox.size(), 2u);
  EXPECT_EQ(outbox[0].pod, world.pod("b"));
  EXPECT_EQ(outbox[1].pod, world.pod("a"));
  EXPECT_EQ(outbox[0].rule, "allocate");
  EXPECT_EQ(state("a"), PodState::kBinding);
  EXPECT_EQ(state("c"), PodState::kPipelined);
}

TEST_F(StatementTest, APodThatDoesNotFitIsTakenBackAlone) {
  Statement statement(world.session());
  for (const char* pod : {"a", "b", "c"}) statement.allocate(world.pod(pod), world.node("n1"));  // six cores on four
  statement.commit("allocate");
  EXPECT_EQ(world.session().outbox().size(), 2u);
  EXPECT_EQ(state("a"), PodState::kBinding);
  EXPECT_EQ(state("b"), PodState::kBinding);
  EXPECT_EQ(state("c"), PodState::kPending);
  EXPECT_EQ(idle("n1"), 0);
}

TEST_F(StatementTest, CommitForgetsAnEarlierPlan) {
  Statement first(world.session());
  first.allocate(world.pod("a"), world.node("n1"));
  first.discard();
  Statement second(world.session());
  second.allocate(world.pod("a"), world.node("n2"));
  second.commit("allocate");
  EXPECT_FALSE(world.job("job").notes->find(world.pod("a"))->last);
}

TEST_F(StatementTest, ReleaseTakesBackOnlyWhatWasNotDecided) {
  Statement statement(world.session());
  statement.allocate(world.pod("a"), world.node("n1"));
  statement.allocate(world.pod("b"), world.node("n1"));
  world.session().bind(world.pod("a"), "backfill");
  statement.release();
  EXPECT_EQ(state("a"), PodState::kBinding);
  EXPECT_EQ(state("b"), PodState::kPending);
  EXPECT_EQ(world.job("job").notes, nullptr);  // nothing is remembered
}

TEST_F(StatementTest, APlanIsDoneAgainAsItWas) {
  Statement first(world.session());
  first.allocate(world.pod("a"), world.node("n1"));
  first.pipeline(world.pod("b"), world.node("n2"));
  const auto placed = snapshot_of(books());
  const auto plan = first.save();
  first.discard();
  Statement second(world.session());
  ASSERT_TRUE(second.replay(plan));
  EXPECT_EQ(snapshot_of(books()), placed);
  EXPECT_FALSE(world.job("job").notes->task(world.pod("a")).last);  // as if it had never been undone
  second.discard();
}

}  // namespace
}  // namespace muster::volcano
