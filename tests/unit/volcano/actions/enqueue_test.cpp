#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class EnqueueTest : public testing::Test {
 protected:
  EnqueueTest() {
    cycles.add(a_volcano_queue("default")).add(a_volcano_queue("other").created(9)).add(a_volcano_node("n1").cpu("10"));
  }
  void add_job(const std::string& name, const std::string& cpu, const std::string& queue = "default") {
    cycles.add(a_pod_group(name).queue(queue).needs("cpu", cpu).phase("Pending").created(++age_));
  }
  VolcanoCycles cycles{a_config({an_option("overcommit", {{"overcommit-factor", value_of(1.0)}})}, {"enqueue"})};

 private:
  std::int64_t age_ = 0;
};

TEST_F(EnqueueTest, ARefusedJobDoesNotHoldUpLaterOnes) {
  add_job("a", "8"), add_job("b", "3"), add_job("c", "2");
  EXPECT_EQ(cycles.run().phases, (Names{{"a", "Inqueue"}, {"b", "Pending"}, {"c", "Inqueue"}}));
}

TEST_F(EnqueueTest, WithoutSharesTheOlderQueueStaysFirst) {
  add_job("a1", "5"), add_job("a2", "5"), add_job("b1", "5", "other");
  EXPECT_EQ(cycles.run().phases, (Names{{"a1", "Inqueue"}, {"a2", "Inqueue"}, {"b1", "Pending"}}));
}

TEST_F(EnqueueTest, AJobNeedsNoPodsToBeLetIn) {
  cycles.add(a_pod_group("job").phase("Pending").minimum(5));
  EXPECT_EQ(cycles.run().phases.at("job"), "Inqueue");
}

TEST_F(EnqueueTest, AnEmptyPhaseIsPending) {
  cycles.add(a_pod_group("job").phase(""));
  EXPECT_EQ(cycles.run().phases.at("job"), "Inqueue");
}

TEST_F(EnqueueTest, AJobWithoutItsQueueIsNotLookedAt) {
  cycles.add(a_pod_group("job").queue("missing").phase("Pending"));
  EXPECT_FALSE(cycles.run().phases.contains("job"));
  cycles.add(a_volcano_queue("missing"));
  EXPECT_EQ(cycles.run().phases.at("job"), "Inqueue");
}

TEST_F(EnqueueTest, WhatWasLetInStaysPromised) {
  add_job("a", "8");
  cycles.run();
  add_job("b", "3");
  EXPECT_EQ(cycles.run().phases, (Names{{"a", "Inqueue"}, {"b", "Pending"}}));
}

}  // namespace
}  // namespace muster::volcano
