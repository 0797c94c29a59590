// Every row of the table of differences: what the original does, and what muster does instead.

#include "policy/kai/behaviour.h"

#include <gtest/gtest.h>
#include <set>

#include "support/kai_world.h"

namespace muster::kai {
namespace {

TEST(KaiBehaviour, EveryQuirkHasItsRow) {
  std::set<Quirk> quirks;
  std::set<std::string_view> names;
  for (const auto& difference : differences()) {
    quirks.insert(difference.quirk);
    names.insert(difference.name);
  }
  EXPECT_EQ(quirks.size(), static_cast<std::size_t>(Quirk::kCount));
  EXPECT_EQ(names.size(), quirks.size());
}

TEST(KaiBehaviour, EachRowIsASwitchOfItsOwn) {
  for (const auto& turned : differences())
    for (const auto& other : differences()) {
      const bool same = turned.quirk == other.quirk;
      EXPECT_EQ(Behaviour::safe().with(turned.quirk).keeps(other.quirk), same) << turned.name << ", " << other.name;
      EXPECT_EQ(Behaviour::exact().without(turned.quirk).keeps(other.quirk), !same) << turned.name << ", " << other.name;
    }
}

// Two pods have to leave one node; a third lies elsewhere and was collected between them.
TEST(KaiBehaviour, NeedlessVictimsStay) {
  KaiWorld world;
  world.node("n1", 2);
  world.node("n2", 2);
  world.job({.name = "wide", .pods = 4, .minimum = 1, .nodes = {"n2", "n1", "n2", "n1"}});
  world.job({.name = "due", .gpus = 2, .priority = "high", .nodes = {}});
  EXPECT_EQ(world.run(Behaviour::exact()), "evict wide-1, evict wide-2, evict wide-3, wait due-0@n1, wait wide-1@n2");
  EXPECT_EQ(world.run(Behaviour::safe()), "evict wide-1, evict wide-3, wait due-0@n1");
}

TEST(KaiBehaviour, WhoWasBoundInTheCycleIsNoVictimInIt) {
  KaiWorld world;
  world.node("n1", 2);
  world.job({.name = "old", .nodes = {"n1"}});
  world.job({.name = "new", .nodes = {}, .created = 1});
  world.job({.name = "due", .gpus = 2, .priority = "high", .nodes = {}});
  EXPECT_EQ(world.run(Behaviour::exact()), "bind new-0@n1, evict new-0, evict old-0, wait due-0@n1");
  EXPECT_EQ(world.run(Behaviour::safe()), "bind new-0@n1");
}

// The gang may run with one of its two subgroups, the other of which has no pods yet.
TEST(KaiBehaviour, PlansThatDoNotCompleteAreTakenBack) {
  KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "old", .nodes = {"n1"}});
  world.job({.name = "due", .priority = "high", .nodes = {}, .sub_groups = {"a", "b"}, .min_sub_group = 1});
  EXPECT_EQ(world.run(Behaviour::exact()), "wait due-0@n1");
  EXPECT_EQ(world.run(Behaviour::exact().without(Quirk::kForgottenPlans)), "");
}

TEST(KaiBehaviour, PlansGoByMinSubGroup) {
  KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "old", .nodes = {"n1"}});
  world.job({.name = "due", .priority = "high", .nodes = {}, .sub_groups = {"a", "b"}, .min_sub_group = 1});
  EXPECT_EQ(world.run(Behaviour::safe()), "evict old-0, wait due-0@n1");
}

TEST(KaiBehaviour, GangsThatRunByMinSubGroupAreNotStale) {
  KaiWorld world;
  world.options.staleness_grace = 0;
  world.node("n1", 1);
  world.job({.name = "gang", .nodes = {"n1"}, .sub_groups = {"a", "b"}, .min_sub_group = 1});
  EXPECT_EQ(world.run(Behaviour::exact()), "evict gang-0");
  EXPECT_EQ(world.run(Behaviour::safe()), "");
}

TEST(KaiBehaviour, NoHalfGangIsLeft) {
  KaiWorld world;
  std::erase_if(world.config.plugins, [](const PluginOption& plugin) { return plugin.name == "sg-nodelocalgreedy"; });
  world.node("n1", 2);
  world.node("n2", 1);
  world.job({.name = "gang", .pods = 3, .minimum = 2, .nodes = {"n1", "n1", "n2"}});
  world.job({.name = "due", .gpus = 2, .priority = "high", .nodes = {}});
  EXPECT_EQ(world.run(Behaviour::exact()), "evict gang-0, evict gang-1, wait due-0@n1");
  EXPECT_EQ(world.run(Behaviour::safe()), "evict gang-0, evict gang-1, evict gang-2, wait due-0@n1");
}

// The job has only just started and may lose what it has beyond its minimum: two pods, which the original counts as three.
TEST(KaiBehaviour, VictimsCountOnce) {
  KaiWorld world;
  std::erase_if(world.config.plugins, [](const PluginOption& plugin) { return plugin.name == "sg-multinodegang"; });
  world.node("n1", 3);
  world.job({.name = "wide", .pods = 3, .minimum = 1, .nodes = {"n1", "n1", "n1"}});
  world.job({.name = "due", .pods = 2, .minimum = 2, .priority = "high", .nodes = {}});
  for (auto& object : world.objects()) {
    if (auto* queue = std::get_if<KaiQueue>(&object)) queue->preempt_min_runtime = 3600 * kSecond;
    if (auto* group = std::get_if<KaiPodGroup>(&object); group != nullptr && group->meta.name == "wide")
      group->meta.annotations.set("kai.scheduler/last-start-timestamp", Timestamp{KaiWorld::kNow.seconds - 60, 0}.rfc3339());
  }
  EXPECT_EQ(world.run(Behaviour::exact()), "");
  EXPECT_EQ(world.run(Behaviour::exact().without(Quirk::kCountedTwice)),
            "evict wide-1, evict wide-2, wait due-0@n1, wait due-1@n1");
}

TEST(KaiBehaviour, StampsOfGangsThatLackPodsAreKept) {
  KaiWorld world;
  world.node("n1", 2);
  world.job({.name = "gang", .pods = 2, .minimum = 3, .gpus = 2, .nodes = {"n1"}});
  const auto is_noted = [&] { return world.cluster().job(GroupId(0)).written.stale_since.has_value(); };
  world.run(Behaviour::exact());
  EXPECT_FALSE(is_noted());
  world.run(Behaviour::safe());
  EXPECT_TRUE(is_noted());
}

TEST(KaiBehaviour, PodsBelongToGroupsOfTheirNamespace) {
  KaiWorld world;
  world.node("n1", 4);
  world.job({.name = "a", .pods = 1, .minimum = 2, .nodes = {}, .ns = "one", .group = "train"});
  world.job({.name = "b", .pods = 1, .minimum = 2, .nodes = {}, .ns = "two", .group = "train"});
  EXPECT_EQ(world.run(Behaviour::exact()), "bind a-0@n1, bind b-0@n1");
  EXPECT_EQ(world.run(Behaviour::safe()), "");
}

TEST(KaiBehaviour, PodsInAnUnknownPhaseHoldWhatTheyHave) {
  KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "lost", .nodes = {"n1"}, .phase = "Unknown"});
  world.job({.name = "due", .nodes = {}});
  EXPECT_EQ(world.run(Behaviour::exact()), "bind due-0@n1");
  EXPECT_EQ(world.run(Behaviour::safe()), "");
}

TEST(KaiBehaviour, NoGpuGivesMoreMemoryThanItHas) {
  KaiWorld world;
  world.node("n1", 2);
  world.job({.name = "large", .gpu_memory = "81800", .nodes = {}});
  EXPECT_EQ(world.run(Behaviour::exact()), "bind large-0@n1");
  EXPECT_EQ(world.run(Behaviour::safe()), "");
}

}  // namespace
}  // namespace muster::kai
