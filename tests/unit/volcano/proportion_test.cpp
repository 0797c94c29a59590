// What queues deserve, and what follows from it.

#include "policy/volcano/plugins/proportion.h"

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class ProportionTest : public testing::Test {
 protected:
  ProportionTest() : world(a_config({an_option("proportion")})) { world.add(a_volcano_node("n1").cpu("10").memory("100Gi")); }

  // A queue with one job that asks for this much cpu; nothing of it is placed yet.
  void add(const VolcanoQueueBuilder& queue, const std::string& cpu) {
    const auto name = queue.object().meta.name;
    world.add(queue).add(a_pod_group("job-" + name).queue(name));
    world.add(a_volcano_pod("pod-" + name).group("job-" + name).cpu(cpu));
  }
  const Proportion::Share& share(const std::string& queue) {
    return world.session().plugin<Proportion>("proportion")->share_of_queue(world.queue(queue));
  }
  double deserved(const std::string& queue) { return share(queue).deserved.cpu(); }
  bool overused(const std::string& queue) { return world.session().overused(world.queue(queue)); }
  bool allocatable(const std::string& queue) { return world.session().allocatable(world.queue(queue), world.pod("pod-" + queue)); }

  VolcanoWorld world;
};

TEST_F(ProportionTest, WhatOneDoesNotWantGoesToTheOthers) {
  add(a_volcano_queue("q1").weight(1), "2");
  add(a_volcano_queue("q2").weight(3), "20");
  world.open();
  EXPECT_DOUBLE_EQ(deserved("q1"), 2000);
  EXPECT_DOUBLE_EQ(deserved("q2"), 8000);
}

TEST_F(ProportionTest, WeightsDivideWhatAllWant) {
  add(a_volcano_queue("q1").weight(1), "20");
  add(a_volcano_queue("q2").weight(4), "20");
  world.open();
  EXPECT_DOUBLE_EQ(deserved("q1"), 2000);
  EXPECT_DOUBLE_EQ(deserved("q2"), 8000);
}

TEST_F(ProportionTest, ACapabilityIsACeilingAndAGuaranteeAFloor) {
  add(a_volcano_queue("capped").at_most("cpu", "3"), "20");
  add(a_volcano_queue("other"), "20");
  world.open();
  EXPECT_DOUBLE_EQ(deserved("capped"), 3000);
  EXPECT_DOUBLE_EQ(deserved("other"), 7000);

  add(a_volcano_queue("sure").guaranteed("cpu", "4"), "1");
  world.open();
  EXPECT_DOUBLE_EQ(deserved("sure"), 4000);                      // even beyond what it asks for
  EXPECT_DOUBLE_EQ(share("other").real_capability.cpu(), 6000);  // what is not guaranteed to others
}

TEST_F(ProportionTest, QueuesWithoutJobsTakeNoPart) {
  add(a_volcano_queue("q1"), "20");
  world.add(a_volcano_queue("idle").weight(100));
  world.open();
  EXPECT_DOUBLE_EQ(deserved("q1"), 10000);
  EXPECT_FALSE(share("idle").takes_part);
}

TEST_F(ProportionTest, AQueueIsOverusedWhenItHoldsAllThatItDeserves) {
  add(a_volcano_queue("q1"), "20");
  add(a_volcano_queue("q2"), "1");
  world.add(a_volcano_pod("held").group("job-q2").cpu("2").on("n1"));
  world.open();
  EXPECT_FALSE(overused("q1"));
  EXPECT_FALSE(overused("q2"));  // wants one more and deserves it
  Statement statement(world.session());
  statement.allocate(world.pod("pod-q2"), world.node("n1"));
  EXPECT_TRUE(overused("q2"));
  statement.discard();
  EXPECT_FALSE(overused("q2"));
}

TEST_F(ProportionTest, APodMustFitIntoWhatIsDeserved) {
  add(a_volcano_queue("q1"), "5");
  add(a_volcano_queue("q2"), "6");
  world.open();
  EXPECT_TRUE(allocatable("q1"));
  EXPECT_FALSE(allocatable("q2"));  // deserves five
}

TEST_F(ProportionTest, AClosedQueueTakesNothingMore) {
  add(a_volcano_queue("q1").closed(), "1");
  world.open();
  EXPECT_FALSE(allocatable("q1"));
  EXPECT_FALSE(world.session().job_enqueueable(world.job("job-q1")));
}

TEST_F(ProportionTest, QueuesGoByPriorityThenByShare) {
  add(a_volcano_queue("a"), "5");
  add(a_volcano_queue("b"), "5");
  world.add(a_volcano_pod("held").group("job-a").cpu("1").on("n1"));
  world.open();
  const auto before = [&](const std::string& l, const std::string& r) {
    return world.session().queue_before(world.queue(l), world.queue(r));
  };
  EXPECT_TRUE(before("b", "a"));  // holds nothing yet
  world.add(a_volcano_queue("a").priority(1));
  world.open();
  EXPECT_TRUE(before("a", "b"));
}

TEST_F(ProportionTest, JobsAreLetInUpToTheCapability) {
  world.add(a_volcano_queue("q").at_most("cpu", "4"));
  world.add(a_pod_group("first").queue("q").needs("cpu", "3").phase("Pending"));
  world.add(a_pod_group("second").queue("q").needs("cpu", "2").phase("Pending"));
  world.add(a_pod_group("vague").queue("q").phase("Pending"));
  auto& session = world.open();
  EXPECT_TRUE(session.job_enqueueable(world.job("first")));
  session.job_enqueued(world.job("first"));
  EXPECT_FALSE(session.job_enqueueable(world.job("second")));
  EXPECT_TRUE(session.job_enqueueable(world.job("vague")));
  ASSERT_EQ(session.writes().events.size(), 1u);
  EXPECT_EQ(*session.writes().events[0].message, "queue resource quota insufficient: insufficient cpu");
}

TEST_F(ProportionTest, SumsFollowTheJobs) {
  world.add(a_volcano_queue("q"));
  world.add(a_pod_group("elastic").queue("q").needs("cpu", "1").phase("Running"));
  world.add(a_volcano_pod("a").group("elastic").cpu("3").on("n1"));
  world.add(a_pod_group("promised").queue("q").needs("cpu", "2").phase("Inqueue"));
  world.open();
  EXPECT_DOUBLE_EQ(share("q").allocated.cpu(), 3000);
  EXPECT_DOUBLE_EQ(share("q").elastic.cpu(), 2000);  // beyond what the job needs at least
  EXPECT_DOUBLE_EQ(share("q").inqueue.cpu(), 2000);  // let in, not placed
}

}  // namespace
}  // namespace muster::volcano
