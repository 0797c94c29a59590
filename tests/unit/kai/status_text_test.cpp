#include "policy/kai/status_text.h"

#include <gtest/gtest.h>

#include "support/kai_world.h"

namespace muster::kai {
namespace {

TEST(StatusText, SaysEachThingOnceAndHowOften) {
  Job job;
  EXPECT_EQ(unschedulable_text(job), "no action of the configuration has tried to place it");
  job.fail(FitReason::kOverLimit, "too much");
  EXPECT_EQ(unschedulable_text(job), "OverLimit: too much");
  job.fail(FitReason::kPodSchedulingErrors, "no node");
  job.fail(FitReason::kPodSchedulingErrors, "no node");
  EXPECT_EQ(unschedulable_text(job), "no room was found: too much. \n2 no node");
}

TEST(StatusText, WhoBacksOffIsToldWhere) {
  Job job;
  job.backoff = 1;
  job.fail(FitReason::kOverLimit, "too much");
  EXPECT_EQ(unschedulable_text(job), "Node-Pool 'default': OverLimit: too much");
  job.node_pool = "blue";
  EXPECT_EQ(unschedulable_text(job), "Node-Pool 'blue': OverLimit: too much");
}

TEST(StatusText, NamesTheSubgroupsThatAreNotReady) {
  KaiPodGroup group;
  for (const auto* name : {"ready", "workers"}) {
    auto& part = group.sub_groups.emplace_back();
    part.name = name;
    part.min_member = name == std::string("workers") ? 2 : 0;
  }
  Job job;
  job.groups = SubGroups(group);
  EXPECT_EQ(not_ready_text(job), "it waits for pods of its own: subgroup workers: 2 required, 0 there, 0 of them gated");
}

// A condition that says the same stays as it is, number and time.
TEST(Conditions, AreWrittenOncePerChange) {
  KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "large", .pods = 2, .minimum = 2});
  world.run(Behaviour::safe());
  const auto conditions = [&] { return world.cluster().job(world.cluster().listed_jobs().front()).conditions; };
  ASSERT_EQ(conditions().size(), 1u);
  EXPECT_EQ(conditions()[0].transition_id, "1");
  EXPECT_EQ(conditions()[0].last_transition, KaiWorld::kNow);
  ASSERT_EQ(conditions()[0].reasons.size(), 1u);
  EXPECT_EQ(conditions()[0].reasons[0].code, "PodSchedulingErrors");
  world.again();
  EXPECT_EQ(conditions()[0].transition_id, "1");
  world.cluster().remove(Gone<Node>{"", "n1"});
  world.again();
  ASSERT_EQ(conditions().size(), 1u);
  EXPECT_EQ(conditions()[0].transition_id, "2");
}

}  // namespace
}  // namespace muster::kai
