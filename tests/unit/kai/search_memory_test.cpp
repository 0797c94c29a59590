// What a cycle remembers of nodes and jobs follows every placement and every undoing: node classes, GPU rooms, job lists, offers.

#include <algorithm>
#include <gtest/gtest.h>

#include "policy/kai/actions/node_classes.h"
#include "policy/kai/actions/slot_odds.h"
#include "policy/kai/gpu_rooms.h"
#include "policy/kai/job_lists.h"
#include "support/kai_builders.h"

namespace muster::kai {
namespace {

constexpr Timestamp kNow{1'767'225'600, 0};
using Names = std::vector<std::string>;

class KaiSearchMemory : public testing::Test {
 protected:
  KaiSearchMemory() { add_open_queue(cluster); }

  Session& open() {
    session = std::make_unique<Session>(cluster, default_config(), kNow, memory);
    session->open();
    return *session;
  }
  void add_node(const std::string& name, int gpus) { cluster.apply(Object(a_kai_node(name).gpus(gpus).build())); }
  void add_running(const std::string& name, const std::string& node, int gpus) {
    a_kai_job(name, 1).gpus(gpus).running_on({node}).apply_to(cluster);
  }
  void add_waiting(const std::string& name, int pods, int gpus) { a_kai_job(name, pods).gpus(gpus).apply_to(cluster); }
  PodId pod(const std::string& name) const { return cluster.find_pod("ns/" + name); }
  NodeId node(const std::string& name) const { return cluster.books().find_node(name); }

  Cluster cluster;
  Memory memory;
  std::unique_ptr<Session> session;
};

// ---- NodeClasses

struct BestNode {
  const char* what;
  std::vector<int> taken;  // GPUs of nodes n0, n1, n2 with 8 each
  int asked;
  const char* best;  // empty: none
};

class KaiBestNode : public KaiSearchMemory, public testing::WithParamInterface<BestNode> {};

TEST_P(KaiBestNode, IsTheFullestThatHasRoomThenTheFirstByName) {
  const auto& [what, taken, asked, best] = GetParam();
  for (std::size_t i = 0; i < taken.size(); ++i) {
    add_node("n" + std::to_string(i), 8);
    if (taken[i] > 0) add_running("r" + std::to_string(i), "n" + std::to_string(i), taken[i]);
  }
  add_waiting("w", 1, asked);
  const auto* nodes = open().node_classes().find(pod("w-0"));
  ASSERT_NE(nodes, nullptr);
  ASSERT_EQ(nodes->any(), *best != '\0');
  if (nodes->any()) {
    EXPECT_EQ(cluster.books().node(cluster.nodes_by_name()[nodes->best()]).name, best);
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, KaiBestNode,
                         testing::Values(BestNode{"empty", {0, 0, 0}, 1, "n0"}, BestNode{"fullest", {0, 5, 3}, 1, "n1"},
                                         BestNode{"fullest with room", {0, 5, 3}, 4, "n2"}, BestNode{"equal", {4, 6, 6}, 2, "n1"},
                                         BestNode{"only one", {8, 7, 8}, 1, "n1"}, BestNode{"full", {8, 8, 8}, 1, ""}),
                         [](const auto& row) {
                           auto name = std::string(row.param.what);
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST_F(KaiSearchMemory, NodeClassesFollowPlacementsAndTheirUndoing) {
  add_node("n0", 2);
  add_node("n1", 2);
  add_waiting("w", 3, 1);
  auto& open_session = open();
  const auto best = [&] {
    const auto* nodes = open_session.node_classes().find(pod("w-0"));
    return cluster.nodes_by_name()[nodes->best()];
  };
  Statement statement(open_session);
  EXPECT_EQ(best(), node("n0"));
  statement.allocate(pod("w-1"), node("n1"));
  EXPECT_EQ(best(), node("n1"));
  statement.allocate(pod("w-2"), node("n1"));
  EXPECT_EQ(best(), node("n0"));
  statement.discard();
  EXPECT_EQ(best(), node("n0"));
  EXPECT_EQ(open_session.node_classes().find(pod("w-2")), open_session.node_classes().find(pod("w-0")));
}

TEST_F(KaiSearchMemory, NodeClassesAreNotForTheReferenceSearch) {
  add_node("n0", 2);
  add_waiting("w", 1, 1);
  memory.search = SearchKind::kReference;
  EXPECT_EQ(open().node_classes().find(pod("w-0")), nullptr);
}

// ---- GpuRooms

TEST_F(KaiSearchMemory, GpuRoomsCountWhatIsIdleAndWhatIsAboutToBeFreed) {
  add_node("n1", 4);
  add_node("n0", 8);
  add_node("none", 0);
  add_running("r", "n1", 4);
  auto& open_session = open();
  const auto expect = [&](double n0, double n1, const Names& with_any) {
    const auto& rooms = open_session.gpu_rooms();
    EXPECT_EQ(rooms.gpus(node("n0")), n0);
    EXPECT_EQ(rooms.gpus(node("n1")), n1);
    EXPECT_EQ(rooms.gpus(node("none")), 0);
    Names names;
    for (const auto id : rooms.with_any()) names.push_back(cluster.books().node(id).name);
    EXPECT_EQ(names, with_any);
  };
  expect(8, 0, {"n0"});
  Statement statement(open_session);
  statement.evict(pod("r-0"), "test", {});
  expect(8, 4, {"n0", "n1"});
  statement.discard();
  expect(8, 0, {"n0"});
}

// ---- JobLists

TEST_F(KaiSearchMemory, JobListsHoldWhoWaitsAndWhoHasAPlaceInTheirOrder) {
  add_node("n0", 8);
  add_waiting("b", 1, 1);
  add_waiting("a", 1, 1);
  add_running("c", "n0", 1);
  a_kai_job("d", 2).min_member(1).gpus(1).running_on({"n0"}).apply_to(cluster);
  auto& open_session = open();
  auto& lists = open_session.job_lists();
  const auto queue = cluster.queues().find("team");
  const auto expect = [&](const Names& pending, const Names& active) {
    lists.refresh();
    const auto names = [](const JobLists::List& list) {
      Names result;
      for (const auto& item : list) result.push_back(item.job->name);
      return result;
    };
    EXPECT_EQ(names(lists.pending(queue)), pending);
    EXPECT_EQ(names(lists.active(queue)), active);
  };
  expect({"a", "b", "d"}, {"c", "d"});  // who lacks pods comes first
  Statement statement(open_session);
  statement.allocate(pod("a-0"), node("n0"));
  statement.evict(pod("d-0"), "test", {});
  expect({"b", "d"}, {"a", "c"});
  statement.discard();
  expect({"a", "b", "d"}, {"c", "d"});
}

// ---- SlotOdds

struct Odds {
  int tasks;                         // of 8 GPUs each
  std::vector<const char*> victims;  // of one GPU each; four stand on n0, four on n1
  bool surely_fails;
};

class KaiSlotOdds : public KaiSearchMemory, public testing::WithParamInterface<Odds> {};

TEST_P(KaiSlotOdds, CountsWholePlacesThatVictimsFree) {
  const auto& [tasks, names, surely_fails] = GetParam();
  for (const auto* name : {"n0", "n1"}) {
    add_node(name, 8);
    for (int i = 0; i < 4; ++i) add_running(name + std::to_string(i), name, 1);
  }
  add_waiting("w", tasks, 8);
  auto& open_session = open();
  std::vector<PodId> pending;
  for (int i = 0; i < tasks; ++i) pending.push_back(pod("w-" + std::to_string(i)));
  std::vector<VictimBatch> victims;
  for (const std::string name : names) victims.push_back({cluster.job_of(pod(name + "-0")).id, {pod(name + "-0")}});
  const std::span all(victims);
  EXPECT_EQ(SlotOdds(open_session, pending, {}).surely_fails(all), surely_fails);
  const auto half = all.size() / 2;  // the same when some of them are recorded
  SlotOdds with_recorded(open_session, pending, all.first(half));
  EXPECT_EQ(with_recorded.surely_fails(all.subspan(half)), surely_fails);
  EXPECT_EQ(with_recorded.surely_fails(all.subspan(half)), surely_fails);  // an attempt leaves nothing behind
}

INSTANTIATE_TEST_SUITE_P(Tables, KaiSlotOdds,
                         testing::Values(Odds{1, {}, true}, Odds{1, {"n00", "n01", "n02"}, true},
                                         Odds{1, {"n00", "n01", "n10", "n11"}, true}, Odds{1, {"n00", "n01", "n02", "n03"}, false},
                                         Odds{2, {"n00", "n01", "n02", "n03"}, true},
                                         Odds{2, {"n00", "n10", "n01", "n11", "n02", "n12", "n03", "n13"}, false}));

TEST_F(KaiSearchMemory, SlotOddsSayNothingOfVictimsWithTasksThatWait) {
  add_node("n0", 8);
  a_kai_job("v", 2).min_member(1).gpus(4).running_on({"n0"}).apply_to(cluster);
  add_waiting("w", 2, 8);
  auto& open_session = open();
  const std::vector<PodId> pending = {pod("w-0"), pod("w-1")};
  const std::vector<VictimBatch> victims = {{cluster.job_of(pod("v-0")).id, {pod("v-0")}}};
  EXPECT_FALSE(SlotOdds(open_session, pending, {}).surely_fails(victims));
  EXPECT_TRUE(SlotOdds(open_session, pending, {}).surely_fails({}));
}

// ---- what nodes offer

TEST_F(KaiSearchMemory, NodesOfferWhatPodsOfOthersLeave) {
  add_node("n0", 8);
  add_node("n1", 8);
  add_running("r", "n0", 2);
  cluster.refresh(kNow);
  EXPECT_EQ(cluster.offered()[Share::kGpu], 16);
  Pod foreign;
  foreign.meta.ns = "system";
  foreign.meta.name = foreign.meta.uid = "agent";
  foreign.spec.node_name = "n1";
  foreign.spec.scheduler_name = "default-scheduler";
  foreign.spec.containers.emplace_back().requests = {{"cpu", Quantity::from_units(4)}, {"nvidia.com/gpu", Quantity::from_units(1)}};
  foreign.status.phase = "Running";
  cluster.apply(Object(foreign));
  cluster.refresh(kNow);
  EXPECT_EQ(cluster.offered()[Share::kGpu], 15);
  EXPECT_EQ(cluster.offered()[Share::kCpu], 124'000);
  add_node("n0", 4);
  cluster.refresh(kNow);
  EXPECT_EQ(cluster.offered()[Share::kGpu], 11);
  cluster.remove_pod(cluster.find_pod("system/agent"));
  cluster.refresh(kNow);
  EXPECT_EQ(cluster.offered()[Share::kGpu], 12);
}

}  // namespace
}  // namespace muster::kai
