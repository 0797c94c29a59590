#include "engine/books.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"

namespace muster {
namespace {

Accounting leaving_and_waiting() {
  Accounting accounting;
  accounting.rules[static_cast<std::size_t>(PodState::kReleasing)] = {true, true, false};
  accounting.rules[static_cast<std::size_t>(PodState::kPipelined)] = {false, false, true};
  return accounting;
}

class BooksTest : public testing::Test {
 protected:
  BooksTest() : cluster(leaving_and_waiting()), books(cluster.books) {}
  void TearDown() override { EXPECT_TRUE(books.check_sums()); }

  std::int64_t idle_cpu(NodeId node) { return books.ledgers().idle[kCpu.index()][node.index()]; }
  std::int64_t used_cpu(NodeId node) { return books.ledgers().used[kCpu.index()][node.index()]; }
  std::vector<NodeId> logged_since(std::uint64_t cursor) {
    std::vector<NodeId> nodes;
    for (auto at = cursor; at != books.log_end(); ++at) nodes.push_back(books.logged(at));
    return nodes;
  }
  // A pod of a group of its own.
  PodId grouped_pod(const std::string& name, std::int64_t cores) {
    PodShape shape;
    shape.request.add(kCpu, cores * 1000);
    PodRecord record;
    record.name = name;
    record.ns = books.symbols().intern("default");
    record.shape = books.intern_shape(shape);
    record.labels = books.intern_labels(record.ns, {});
    record.group = books.add_group("default/" + name);
    return books.add_pod(record);
  }

  TestCluster cluster;
  Books& books;
};

// ------------------------------------------------------------------------------------------------------- ledgers

TEST_F(BooksTest, APodWeighsAsItsStateSays) {
  struct Row {
    PodState state;
    std::int64_t idle, used, releasing, pipelined;
  };
  const Row rows[] = {
      {PodState::kRunning, 6000, 2000, 0, 0},
      {PodState::kAllocated, 6000, 2000, 0, 0},
      {PodState::kReleasing, 6000, 2000, 2000, 0},
      {PodState::kPipelined, 8000, 0, 0, 2000},
  };
  const auto node = cluster.add(a_node("n1").cpu(8));
  const auto pod = cluster.add(a_pod("p").cpu(2));
  for (const auto& row : rows) {
    books.account(pod, node, row.state);
    const auto& ledgers = books.ledgers();
    const auto at = [&](const std::vector<Column>& columns) { return columns[kCpu.index()][node.index()]; };
    EXPECT_EQ(at(ledgers.idle), row.idle) << name_of(row.state);
    EXPECT_EQ(at(ledgers.used), row.used) << name_of(row.state);
    EXPECT_EQ(at(ledgers.releasing), row.releasing) << name_of(row.state);
    EXPECT_EQ(at(ledgers.pipelined), row.pipelined) << name_of(row.state);
    EXPECT_EQ(books.free_later(kCpu, node), row.idle + row.releasing - row.pipelined) << name_of(row.state);
    EXPECT_EQ(books.nothing_moves(), row.releasing == 0 && row.pipelined == 0) << name_of(row.state);
    EXPECT_TRUE(books.check_sums()) << name_of(row.state);
    books.unaccount(pod);
  }
  EXPECT_TRUE(books.nothing_moves());
}

TEST_F(BooksTest, ANodeThatArrivesAfterItsPodsCountsThem) {
  const auto node = books.intern_node("late");
  books.account(cluster.add(a_pod("p").cpu(2)), node, PodState::kRunning);
  EXPECT_FALSE(books.node(node).known);
  EXPECT_EQ(books.total_used().get(kCpu), 0);
  cluster.add(a_node("late").cpu(8));
  EXPECT_EQ(idle_cpu(node), 6000);
  EXPECT_EQ(books.total_used().get(kCpu), 2000);
  EXPECT_EQ(books.total_allocatable().get(kCpu), 8000);
}

TEST_F(BooksTest, AChangedNodeKeepsItsPodsAndForgetsWhatItOffered) {
  const auto node = cluster.add(a_node("n1").cpu(8).gpu(2).label("zone", "a"));
  books.account(cluster.add(a_pod("p").cpu(2)), node, PodState::kRunning);
  cluster.add(a_node("n1").cpu(1));
  EXPECT_EQ(idle_cpu(node), -1000);  // more is used than there is: visible, not hidden
  EXPECT_EQ(used_cpu(node), 2000);
  EXPECT_EQ(books.total_allocatable().get(books.resource("nvidia.com/gpu")), 0);
  EXPECT_TRUE(books.node(node).labels.empty());
}

TEST_F(BooksTest, ARemovedNodeOffersNothing) {
  const auto node = cluster.add(a_node("n1").cpu(8));
  books.account(cluster.add(a_pod("p").cpu(2)), node, PodState::kRunning);
  books.remove_node(node);
  EXPECT_FALSE(books.node(node).known);
  EXPECT_EQ(books.total_allocatable().get(kCpu), 0);
  EXPECT_EQ(books.total_used().get(kCpu), 0);
  EXPECT_EQ(books.find_node("n1"), node);  // ids are never given twice
}

TEST_F(BooksTest, PresenceIsApartFromAccounting) {
  const auto node = cluster.add(a_node("n1").cpu(8));
  const auto pod = cluster.place(a_pod("p").cpu(2).nonzero(2000, 7), node);
  EXPECT_EQ(idle_cpu(node), 8000);
  EXPECT_EQ(books.ledgers().present[kCpu.index()][node.index()], 2000);
  EXPECT_EQ(books.ledgers().nonzero_memory[node.index()], 7);
  EXPECT_EQ(books.pods_present(node), std::vector<PodId>{pod});
  EXPECT_TRUE(books.pods_on(node).empty());
}

TEST_F(BooksTest, ANewResourceAddsAColumnEverywhere) {
  const auto node = cluster.add(a_node("n1").cpu(8));
  const auto fpga = books.resource("example.com/fpga");
  EXPECT_EQ(books.ledgers().idle.size(), books.resource_count());
  EXPECT_EQ(books.ledgers().idle[fpga.index()][node.index()], 0);
  EXPECT_EQ(books.resource("example.com/fpga"), fpga);
  EXPECT_EQ(books.resource_name(kPodCount), "pods");
}

// -------------------------------------------------------------------------------------------------- pods, groups

TEST_F(BooksTest, AGroupCountsItsPodsByState) {
  const auto node = cluster.add(a_node("n1").cpu(8));
  const auto pod = grouped_pod("p", 2);
  const auto group = books.pod(pod).group;
  const auto count = [&](PodState state) { return books.group(group).count[static_cast<std::size_t>(state)]; };
  EXPECT_EQ(count(PodState::kPending), 1u);
  EXPECT_EQ(books.group(group).waiting.get(kCpu), 2000);

  books.set_state(pod, PodState::kRunning, node);
  EXPECT_EQ(count(PodState::kPending), 0u);
  EXPECT_EQ(count(PodState::kRunning), 1u);
  EXPECT_EQ(books.group(group).held.get(kCpu), 2000);
  EXPECT_EQ(books.group(group).waiting.get(kCpu), 0);

  books.set_state(pod, PodState::kReleasing, node);  // neither holds nor waits
  EXPECT_EQ(books.group(group).held.get(kCpu), 0);
}

TEST_F(BooksTest, ChangedGroupsAreGivenOnceEach) {
  const auto a = grouped_pod("a", 1), b = grouped_pod("b", 1);
  const auto group_a = books.pod(a).group, group_b = books.pod(b).group;
  EXPECT_EQ(books.take_dirty_groups(), (std::vector<GroupId>{group_a, group_b}));
  EXPECT_TRUE(books.take_dirty_groups().empty());
  books.set_state(b, PodState::kFailed, NodeId());
  books.touch_group(group_a);
  books.set_state(b, PodState::kPending, NodeId());
  EXPECT_EQ(books.take_dirty_groups(), (std::vector<GroupId>{group_b, group_a}));
}

TEST_F(BooksTest, ARemovedPodLeavesEveryList) {
  const auto node = cluster.add(a_node("n1").cpu(8));
  const auto pod = grouped_pod("p", 2);
  books.account(pod, node, PodState::kRunning);
  books.arrive(pod, node);
  books.remove_pod(pod);
  EXPECT_TRUE(books.removed(pod));
  EXPECT_EQ(idle_cpu(node), 8000);
  EXPECT_TRUE(books.pods_on(node).empty());
  EXPECT_TRUE(books.pods_present(node).empty());
  EXPECT_TRUE(books.group(books.pod(pod).group).pods.empty());
  EXPECT_TRUE(books.pods_with_labels(books.pod(pod).labels).empty());
}

TEST_F(BooksTest, EqualShapesAndLabelSetsAreShared) {
  const auto a = cluster.add(a_pod("a").cpu(1).label("app", "x")), b = cluster.add(a_pod("b").cpu(1).label("app", "x"));
  const auto c = cluster.add(a_pod("c").cpu(1).label("app", "x").ns("other").select("disk", "ssd"));
  EXPECT_EQ(books.pod(a).shape, books.pod(b).shape);
  EXPECT_EQ(books.pod(a).labels, books.pod(b).labels);
  EXPECT_NE(books.pod(a).shape, books.pod(c).shape);
  EXPECT_NE(books.pod(a).labels, books.pod(c).labels);  // of another namespace
  EXPECT_FALSE(books.pod(a).terms);
  EXPECT_EQ(books.pods_with_labels(books.pod(a).labels), (std::vector<PodId>{a, b}));
  EXPECT_EQ(books.pod_key(c), "other/c");
}

// ---------------------------------------------------------------------------------------- observers, change log

TEST_F(BooksTest, ObserversSeePodsComeAndGo) {
  struct Witness final : PresenceObserver {
    void on_arrive(PodId pod, NodeId node) override { seen.emplace_back(pod, node); }
    void on_depart(PodId pod, NodeId node) override { seen.emplace_back(pod, node); }
    std::vector<std::pair<PodId, NodeId>> seen;
  } witness;
  const auto node = cluster.add(a_node("n1"));
  books.observe(witness);
  const auto pod = cluster.place(a_pod("p"), node);
  books.remove_pod(pod);
  EXPECT_EQ(witness.seen, (std::vector<std::pair<PodId, NodeId>>{{pod, node}, {pod, node}}));
}

TEST_F(BooksTest, ConsecutiveChangesOfANodeAreOneEntryUntilSomebodyReads) {
  const auto n1 = cluster.add(a_node("n1").cpu(8)), n2 = cluster.add(a_node("n2").cpu(8));
  const auto cursor = books.log_end();
  const auto pod = cluster.add(a_pod("p").cpu(1));
  books.account(pod, n1, PodState::kRunning);
  books.arrive(pod, n1);
  EXPECT_EQ(logged_since(cursor), std::vector<NodeId>{n1});
  books.depart(pod);
  EXPECT_EQ(logged_since(cursor), (std::vector<NodeId>{n1, n1}));
  books.unaccount(pod);
  books.account(pod, n2, PodState::kRunning);
  EXPECT_EQ(logged_since(cursor), (std::vector<NodeId>{n1, n1, n1, n2}));
}

TEST_F(BooksTest, OldEntriesAreDroppedOnlyWhenThereAreMany) {
  const auto node = cluster.add(a_node("n1").cpu(8));
  const auto pod = cluster.add(a_pod("p").cpu(1));
  books.trim_log();
  EXPECT_EQ(books.log_start(), 0u);
  for (int i = 0; i < 200; ++i) {
    books.account(pod, node, PodState::kRunning);
    books.log_end();  // read
    books.unaccount(pod);
    books.log_end();
  }
  const auto end = books.log_end();
  books.trim_log();
  EXPECT_EQ(books.log_start(), end);
  EXPECT_EQ(books.log_end(), end);  // cursors stay valid
  books.account(pod, node, PodState::kRunning);
  EXPECT_EQ(logged_since(end), std::vector<NodeId>{node});
}

TEST_F(BooksTest, FactsHaveAVersionOfTheirOwn) {
  const auto node = cluster.add(a_node("n1").cpu(8));
  const auto version = books.node_facts_version();
  const auto pod = cluster.place(a_pod("p").cpu(1), node);
  books.account(pod, node, PodState::kRunning);
  EXPECT_EQ(books.node_facts_version(), version);
  cluster.add(a_node("n1").cpu(8).label("zone", "a"));
  EXPECT_NE(books.node_facts_version(), version);
}

}  // namespace
}  // namespace muster
