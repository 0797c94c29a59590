#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

// Ten cores, of which some are used; jobs say what they need at least.
class OvercommitTest : public testing::Test {
 protected:
  void open(std::vector<std::pair<std::string, Value>> arguments = {}) {
    world.emplace(a_config({an_option("overcommit", std::move(arguments))}));
    world->add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("10"));
    world->add(a_volcano_pod("stranger").cpu("4").on("n1"));
  }
  bool lets_in(const std::string& cpu) {
    const auto name = "job" + std::to_string(jobs_++);
    world->add(a_pod_group(name).needs("cpu", cpu).phase("Pending"));
    auto& session = world->open();
    return session.job_enqueueable(world->job(name));
  }
  std::optional<VolcanoWorld> world;

 private:
  int jobs_ = 0;
};

TEST_F(OvercommitTest, TheClusterCountsAFifthLarger) {
  open();
  EXPECT_TRUE(lets_in("8"));  // 10 × 1.2 − 4
  EXPECT_FALSE(lets_in("8001m"));
  ASSERT_EQ(world->session().writes().events.size(), 1u);
  EXPECT_EQ(*world->session().writes().events[0].message, "resource in cluster is overused: overused cpu");
}

TEST_F(OvercommitTest, TheFactorIsConfiguredAndAtLeastOne) {
  open({{"overcommit-factor", value_of(1.5)}});
  EXPECT_TRUE(lets_in("11"));
  EXPECT_FALSE(lets_in("11001m"));
  open({{"overcommit-factor", value_of(0.5)}});  // makes no sense: the default instead
  EXPECT_TRUE(lets_in("8"));
  EXPECT_FALSE(lets_in("9"));
}

TEST_F(OvercommitTest, WhatWasPromisedBeforeCounts) {
  open();
  world->add(a_pod_group("waiting").needs("cpu", "5").phase("Inqueue"));
  EXPECT_TRUE(lets_in("3"));
  EXPECT_FALSE(lets_in("4"));
}

TEST_F(OvercommitTest, WhatIsLetInDuringTheCycleCountsAtOnce) {
  open();
  EXPECT_TRUE(lets_in("5"));
  world->session().job_enqueued(world->job("job0"));
  EXPECT_FALSE(world->session().job_enqueueable(world->job("job0")));
}

TEST_F(OvercommitTest, AJobThatSaysNothingIsLetIn) {
  open();
  world->add(a_pod_group("vague").phase("Pending"));
  world->open();
  EXPECT_TRUE(world->session().job_enqueueable(world->job("vague")));
}

TEST_F(OvercommitTest, GatedPodsArePromisedNothing) {
  open();
  world->add(a_pod_group("gated").needs("cpu", "5").phase("Inqueue"));
  world->add(a_volcano_pod("gated-0").group("gated").cpu("5").gate("somebody/else"));
  EXPECT_TRUE(lets_in("8"));
  world->add(a_pod_group("own").needs("cpu", "5").phase("Inqueue"));
  world->add(a_volcano_pod("own-0").group("own").cpu("5").gate("scheduling.volcano.sh/queue-allocation-gate"));
  EXPECT_FALSE(lets_in("8"));  // the queue's own gate is no reason to wait
}

}  // namespace
}  // namespace muster::volcano
