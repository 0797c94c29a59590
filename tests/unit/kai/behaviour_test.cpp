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

// The gang moves, and only the one of its pods that is in the way.
TEST(KaiBehaviour, PodsOfAGangThatMovesStayWhereTheyAreNotInTheWay) {
  KaiWorld world;
  for (const auto* node : {"n0", "n1", "n2", "n3"}) world.node(node, 4);
  world.job({.name = "fixed", .pods = 4, .minimum = 4, .priority = "fixed", .nodes = {"n0", "n1", "n2", "n2"}});
  world.job({.name = "gang", .pods = 2, .minimum = 2, .gpus = 2, .nodes = {"n1", "n3"}});
  world.job({.name = "due", .gpus = 4, .nodes = {}});
  const auto moves = world.run(Behaviour::safe());
  EXPECT_NE(moves.find("evict gang-1"), std::string::npos) << moves;
  EXPECT_EQ(moves.find("evict gang-0"), std::string::npos) << moves;
  EXPECT_NE(moves.find("wait due-0@n3"), std::string::npos) << moves;
}

// Both queues are owed four; a large job of the one is older than the job that room is made for.
TEST(KaiBehaviour, RoomGoesToThoseForWhomItWasMade) {
  KaiWorld world;
  world.node("n0", 8);
  world.queue("d", "", -1);
  world.queue("q1", "d", 4, 0);
  world.queue("q2", "d", 4, 0);
  world.job({.name = "train", .queue = "q1", .pods = 5, .nodes = {"n0", "n0", "n0", "n0", "n0"}});
  world.job({.name = "big", .queue = "q2", .gpus = 8, .nodes = {}});
  world.job({.name = "small", .queue = "q2", .gpus = 4, .nodes = {}, .created = 10});
  const auto pods_come_back = [&] { world.cluster().pod_respawns(world.cluster().find_pod("ns/train-4")); };
  EXPECT_EQ(world.run(Behaviour::exact()), "evict train-4, wait small-0@n0");
  pods_come_back();
  EXPECT_EQ(world.again(), "bind train-4@n0, evict train-4, wait small-0@n0");
  EXPECT_EQ(world.run(Behaviour::safe()), "evict train-4, wait small-0@n0");
  pods_come_back();
  EXPECT_EQ(world.again(), "bind small-0@n0");
}

// A gang leaves two nodes for the first job. The second gets what the first does not need, nobody goes for it, and it keeps that
// when another comes.
TEST(KaiBehaviour, RoomIsAlsoPromisedToThoseWhoGetTheRestOfIt) {
  KaiWorld world;
  world.node("n1", 1);
  world.node("n2", 1);
  world.node("n3", 1);
  world.job({.name = "gang", .pods = 2, .minimum = 2, .nodes = {"n1", "n2"}, .created = 2});
  world.job({.name = "other", .nodes = {"n3"}});
  world.job({.name = "first", .priority = "high", .nodes = {}});
  world.job({.name = "second", .priority = "high", .nodes = {}, .created = 1});
  KaiWorld later;
  later.job({.name = "late", .priority = "fixed", .nodes = {}, .created = 2});
  EXPECT_EQ(world.run(Behaviour::safe()), "evict gang-0, evict gang-1, wait first-0@n1, wait second-0@n2");
  for (const auto* name : {"ns/gang-0", "ns/gang-1"}) world.cluster().remove_pod(world.cluster().find_pod(name));
  for (const auto& object : later.objects())
    if (std::holds_alternative<KaiPodGroup>(object) || std::holds_alternative<Pod>(object)) world.cluster().apply(object);
  EXPECT_EQ(world.again(), "bind first-0@n1, bind second-0@n2, evict other-0, wait late-0@n3");
}

// Who was promised room goes before the next cycle and others come in their stead, under ids and with shapes that are numbered
// otherwise: each gets the room of the one that it is like.
TEST(KaiBehaviour, PromisesOutliveTheIdsOfThoseTheyWereMadeTo) {
  KaiWorld world;
  for (const auto* name : {"n1", "n2"}) world.node(name, 2);
  world.job({.name = "old", .pods = 2, .gpus = 2, .nodes = {"n1", "n2"}});
  world.job({.name = "due", .pods = 2, .minimum = 2, .priority = "high", .nodes = {}});
  std::vector<Pod> due;
  for (auto& object : world.objects())
    if (auto* pod = std::get_if<Pod>(&object); pod != nullptr && pod->meta.name.starts_with("due")) {
      if (pod->meta.name == "due-1") pod->spec.containers.front().requests["nvidia.com/gpu"] = Quantity::from_units(2);
      due.push_back(*pod);
    }
  const auto promised = world.run(Behaviour::safe());
  ASSERT_TRUE(promised == "evict old-0, evict old-1, wait due-0@n1, wait due-1@n2" ||
              promised == "evict old-0, evict old-1, wait due-0@n2, wait due-1@n1")
      << promised;
  auto& cluster = world.cluster();
  cluster.books().set_spare_ids(0);
  for (const auto* name : {"old-0", "old-1", "due-0", "due-1"}) cluster.remove(Gone<Pod>{"ns", name});
  std::reverse(due.begin(), due.end());
  for (auto& pod : due) {
    pod.meta.uid += "-another";
    cluster.apply(pod);
  }
  ASSERT_TRUE(cluster.books().wants_sweep());
  const bool first_on_n1 = promised.find("due-0@n1") != std::string::npos;
  EXPECT_EQ(world.again(), first_on_n1 ? "bind due-0@n1, bind due-1@n2" : "bind due-0@n2, bind due-1@n1");
  EXPECT_FALSE(cluster.books().wants_sweep());
}

// Without allocate nobody comes for the room.
TEST(KaiBehaviour, NothingIsPromisedThatNobodyWouldGive) {
  struct PromiseCount : CycleObserver {
    std::size_t promises = 0;
    void closed(Session& session) override { promises = session.memory().promised.promises().size(); }
  };
  KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "old", .nodes = {"n1"}});
  world.job({.name = "due", .priority = "high", .nodes = {}});
  for (const auto& [actions, promises] :
       {std::pair<std::vector<std::string>, std::size_t>({"allocate", "preempt"}, 1), {{"preempt"}, 0}}) {
    ClusterOptions options;
    options.behaviour = Behaviour::safe();
    auto cluster = std::make_unique<Cluster>(options);
    for (const auto& object : world.objects()) cluster->apply(object);
    auto config = default_config();
    config.actions = actions;
    PromiseCount count;
    Scheduler(std::move(cluster), config, SearchKind::kIndex).run_cycle(KaiWorld::kNow, count);
    EXPECT_EQ(count.promises, promises) << actions.size();
  }
}

// Four of the elastic job's pods may be taken, and would have to be those of one node.
TEST(KaiBehaviour, WhatAJobCanDoWithoutIsTakenFromOneNode) {
  KaiWorld world;
  world.node("n1", 4);
  world.node("n2", 4);
  world.queue("a", "root", 4);
  world.queue("b", "root", 4);
  world.job({.name = "over", .queue = "a", .pods = 6, .nodes = {"n2", "n2", "n1", "n1", "n1", "n1"}});
  world.job({.name = "want", .queue = "b", .gpus = 4, .nodes = {}});
  EXPECT_EQ(world.run(Behaviour::exact()), "");
  EXPECT_EQ(world.run(Behaviour::safe()), "evict over-0, evict over-1, wait want-0@n2");
}

// One subgroup runs in its zone, which has no room for the other.
TEST(KaiBehaviour, SubGroupsStayInTheDomainThatTheirJobRequires) {
  KaiWorld world;
  world.node("n1", 1);
  world.node("n2", 1);
  world.job({.name = "gang", .pods = 2, .nodes = {"n1"}, .sub_groups = {"a", "b"}});
  KaiTopology topology;
  topology.meta.name = "t";
  topology.levels = {{"zone", ""}};
  world.add(topology);
  for (auto& object : world.objects()) {
    if (auto* node = std::get_if<Node>(&object)) node->meta.labels.set("zone", "zone of " + node->meta.name);
    if (auto* group = std::get_if<KaiPodGroup>(&object)) group->constraint = {"t", "zone", ""};
  }
  EXPECT_EQ(world.run(Behaviour::exact()), "bind gang-1@n2");
  EXPECT_EQ(world.run(Behaviour::safe()), "");
}

// One GPU is shared by two small pods. When one of them moves to the middle one's, there is room for the large one; the original
// lets the small one take its place back unless the middle one moves as well.
TEST(KaiBehaviour, NobodyMovesInVain) {
  KaiWorld world;
  world.node("n1", 3);
  world.job({.name = "a", .pods = 2, .fraction = "0.3", .nodes = {"n1", "n1"}});
  world.job({.name = "b", .fraction = "0.5", .nodes = {"n1"}});
  world.job({.name = "c", .pods = 2, .fraction = "0.6", .nodes = {"n1"}});
  for (auto& object : world.objects())
    if (auto* pod = std::get_if<Pod>(&object); pod != nullptr && !pod->spec.node_name.empty())
      pod->meta.labels.set("runai-gpu-group", "of " + pod->meta.name.substr(0, 1));
  const auto moves = [](const std::string& text) { return text.find("evict a-") != std::string::npos; };
  const auto exact = world.run(Behaviour::exact());
  EXPECT_TRUE(moves(exact) && exact.find("evict b-0") != std::string::npos) << exact;
  const auto safe = world.run(Behaviour::safe());
  EXPECT_TRUE(moves(safe) && safe.find("wait c-1@n1") != std::string::npos) << safe;
  EXPECT_EQ(safe.find("evict b-0"), std::string::npos) << safe;
}

// Queues that are owed more than those above them: each of the two jobs could take from the other.
TEST(KaiBehaviour, NobodyReclaimsWhatCouldBeReclaimedInReturn) {
  KaiWorld world;
  world.node("n0", 1);
  world.node("n1", 1);
  world.queue("d0", "", 0, 0);
  world.queue("d0-0", "d0", 1, 0);
  world.queue("d1", "", 1, 0);
  world.queue("d1-0", "d1", 2, 0);
  world.job({.name = "there", .queue = "d1-0", .pods = 2, .minimum = 0, .nodes = {"n0", "n1"}});
  world.job({.name = "due", .queue = "d0-0", .minimum = 0, .fraction = "0.5", .nodes = {}});
  world.job({.name = "large", .queue = "d0-0", .minimum = 0, .priority = "high", .nodes = {}});
  EXPECT_EQ(world.run(Behaviour::safe().with(Quirk::kMutualReclaim)), "evict there-1, wait due-0@n1");
  EXPECT_EQ(world.run(Behaviour::safe()), "");
}

// A gang within its fair share and beyond its quota could take two pods of a queue that holds more than both. That queue would let
// a pod of a whole GPU go for the first of them, and so be within its quota again when it asks for the second.
TEST(KaiBehaviour, NobodyReclaimsWhatCouldBeReclaimedAfterAPreemption) {
  KaiWorld world;
  world.node("n0", 1);
  world.node("n1", 4);
  world.node("n2", 3);
  world.queue("d0", "", -1, 1);
  world.queue("d0-0", "d0", 3, 1);
  world.queue("d0-1", "d0", 4, 0);
  world.job({.name = "old", .queue = "d0-1", .pods = 2, .minimum = 0, .nodes = {"n0", "n1"}});
  world.job({.name = "gang", .queue = "d0-0", .pods = 3, .minimum = 2, .gpus = 2, .nodes = {}, .created = 10});
  world.job({.name = "parts",
             .queue = "d0-1",
             .pods = 4,
             .minimum = 0,
             .fraction = "0.7",
             .priority = "high",
             .nodes = {"n1", "n2", "n1", "n1"},
             .created = 20});
  for (auto& object : world.objects())
    if (auto* pod = std::get_if<Pod>(&object); pod != nullptr && pod->meta.name.starts_with("parts"))
      pod->meta.labels.set("runai-gpu-group", "of " + pod->meta.name);
  EXPECT_NE(world.run(Behaviour::safe().with(Quirk::kMutualReclaim)).find("evict parts-"), std::string::npos);
  EXPECT_EQ(world.run(Behaviour::safe()), "");
}

// Two nodes of a GPU each, of which one queue is owed both and the other only borrows.
KaiWorld two_nodes_that_are_owed() {
  KaiWorld world;
  world.node("n1", 1);
  world.node("n2", 1);
  world.queue("d", "", -1, 1);
  world.queue("owed", "d", 2, 0);
  world.queue("lent", "d", 0, 0);
  return world;
}

// The urgent job takes one more pod in each cycle; in between the less urgent one would get room that it then has to leave.
TEST(KaiBehaviour, NobodyLeavesForAJobThatIsOvertaken) {
  auto world = two_nodes_that_are_owed();
  world.job({.name = "there", .queue = "lent", .pods = 2, .minimum = 1, .nodes = {"n1", "n2"}});
  world.job({.name = "urgent", .queue = "owed", .pods = 2, .minimum = 1, .priority = "high", .nodes = {}});
  world.job({.name = "less", .queue = "owed", .nodes = {}});
  EXPECT_EQ(world.run(Behaviour::safe().with(Quirk::kOvertakenPlans)),
            "evict there-0, evict there-1, wait less-0@n1, wait urgent-0@n2");
  EXPECT_EQ(world.run(Behaviour::safe()), "evict there-1, wait urgent-0@n2");
}

// The urgent gang cannot ask for room beside what the less urgent job of its queue holds, and would take what is made for that.
TEST(KaiBehaviour, RoomGoesToTheMoreUrgentAtOnce) {
  auto world = two_nodes_that_are_owed();
  world.job({.name = "there", .queue = "lent", .nodes = {"n1"}});
  world.job({.name = "urgent", .queue = "owed", .pods = 2, .minimum = 2, .priority = "high", .nodes = {}});
  world.job({.name = "less", .queue = "owed", .pods = 2, .minimum = 1, .nodes = {"n2"}});
  EXPECT_EQ(world.run(Behaviour::safe().with(Quirk::kOvertakenPlans)), "evict there-0, wait less-1@n1");
  const auto safe = world.run(Behaviour::safe());
  for (const auto* part : {"evict there-0", "evict less-0", "wait urgent-0@", "wait urgent-1@"})
    EXPECT_NE(safe.find(part), std::string::npos) << safe;
}

}  // namespace
}  // namespace muster::kai
