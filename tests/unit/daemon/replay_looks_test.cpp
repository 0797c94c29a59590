// What decides beside the objects is in a recording, and what only looks is not.

#include <gtest/gtest.h>

#include "support/kai_world.h"
#include "support/volcano_builders.h"
#include "unit/daemon/recording.h"

namespace muster::daemon {
namespace {

using volcano::a_pod_group;
using volcano::a_volcano_node;
using volcano::a_volcano_pod;
using volcano::a_volcano_queue;

constexpr Timestamp kStart{1'767'225'600, 0};

constexpr const char* kEvicting = R"(
actions: "enqueue, allocate, preempt"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: predicates
  - name: proportion
)";

constexpr const char* kAsking = R"(
actions: "allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: extender
    arguments:
      extender.urlPrefix: "http://nobody.invalid/"
      extender.predicateVerb: predicate
)";

// Refuses every node.
class UnwillingExtender final : public volcano::ExtenderClient {
 public:
  explicit UnwillingExtender(int& asked) : asked_(asked) {}
  tl::expected<volcano::ExtenderAnswer, volcano::ExtenderFailure> ask(const volcano::Session&,
                                                                      const volcano::ExtenderQuestion&) override {
    ++asked_;
    return volcano::ExtenderAnswer{.message = "not there", .code = 2};
  }

 private:
  int& asked_;
};

// Somebody who would preempt one of those who have the only node.
void tell_rivals(LiveCluster& cluster) {
  PriorityClass high;
  high.meta.name = "high";
  high.value = 1000;
  cluster.apply(Object(high));
  cluster.apply(Object(a_volcano_queue("default").object()));
  cluster.apply(Object(a_volcano_node("n1").cpu("2").object()));
  cluster.apply(Object(a_pod_group("low").minimum(1).phase("Running").object()));
  for (const char* name : {"low-0", "low-1"}) cluster.apply(Object(a_volcano_pod(name).group("low").cpu("1").on("n1").object()));
  cluster.apply(Object(a_pod_group("high").priority_class("high").object()));
  cluster.apply(Object(a_volcano_pod("high-0").group("high").cpu("1").priority(1000).object()));
}

class ReplayLooksTest : public testing::Test {
 protected:
  // How many were evicted in a cycle that many seconds after the start.
  static std::size_t evicted(LiveCluster& cluster, int seconds) {
    return cluster.run_cycle({kStart.seconds + seconds, 0}).effects.evictions.size();
  }

  Recording recording_;
};

TEST_F(ReplayLooksTest, EvictionsThatWereStoppedAreStoppedAgain) {
  {
    const auto cluster = recording_.cluster(recording_.recorder(), {.dialect = "volcano"}, kEvicting);
    ASSERT_TRUE(cluster) << recording_.problem;
    cluster->set_evictions(Evictions::kStopped);
    tell_rivals(*cluster);
    cluster->settle();
    for (int second = 0; second < 3; ++second) EXPECT_EQ(evicted(*cluster, second), 0u);
    cluster->set_evictions(Evictions::kAllowed);
    EXPECT_EQ(evicted(*cluster, 3), 1u);
  }
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay), "");
  EXPECT_EQ(replay.cycles(), 4u);
}

TEST_F(ReplayLooksTest, KaisToo) {
  kai::KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "low", .nodes = {"n1"}});
  world.job({.name = "high", .priority = "high"});
  {
    const auto cluster = recording_.cluster(recording_.recorder(), {.dialect = "kai"}, "");
    ASSERT_TRUE(cluster) << recording_.problem;
    for (const auto& object : world.objects()) cluster->apply(object);
    cluster->settle();
    cluster->set_evictions(Evictions::kStopped);
    EXPECT_EQ(evicted(*cluster, 0), 0u);
    cluster->set_evictions(Evictions::kAllowed);
    EXPECT_EQ(evicted(*cluster, 1), 1u);
  }
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay), "");
  EXPECT_EQ(replay.cycles(), 2u);
}

TEST_F(ReplayLooksTest, ARecordingThatBeginsInTheMiddleKnowsThatTheyAreStopped) {
  {
    const auto cluster = recording_.cluster(recording_.recorder(std::uint64_t{1} << 30, 1), {.dialect = "volcano"}, kEvicting);
    ASSERT_TRUE(cluster) << recording_.problem;
    tell_rivals(*cluster);
    cluster->settle();
    cluster->set_evictions(Evictions::kStopped);
    for (int second = 0; second < 200; ++second) EXPECT_EQ(evicted(*cluster, second), 0u);
  }
  const auto segments = recording_.segments();
  ASSERT_GT(segments.size(), 2u);
  const auto replay = recording_.replay({segments.begin() + 1, segments.end()});
  EXPECT_EQ(differences(replay), "");
  EXPECT_GT(replay.cycles(), 0u);
  EXPECT_FALSE(replay.segments[0].from_the_start);
}

TEST_F(ReplayLooksTest, WhatAnExtenderWasAskedForALookIsNotThere) {
  int asked = 0;
  int told = 0;
  {
    const auto cluster =
        recording_.cluster(recording_.recorder(), {.dialect = "volcano"}, kAsking,
                           {.extender = [&] { return std::make_shared<UnwillingExtender>(asked); }, .usage = {}, .gpu_groups = {}});
    ASSERT_TRUE(cluster) << recording_.problem;
    tell_rivals(*cluster);
    cluster->apply(Object(a_volcano_node("n2").cpu("8").object()));
    cluster->settle();
    cluster->run_cycle(kStart);
    const int without = std::exchange(asked, 0);
    ASSERT_GT(without, 0);
    cluster->add_sight({.what = Sight::What::kJob, .name = "default/high", .tell = [&](const Result<std::string>& text) {
                          told += text.has_value() ? 1 : 0;
                        }});
    cluster->run_cycle({kStart.seconds + 1, 0});
    EXPECT_GT(asked, without) << "or this test shows nothing";
  }
  EXPECT_EQ(told, 1);
  EXPECT_EQ(differences(recording_.replay()), "");
}

}  // namespace
}  // namespace muster::daemon
