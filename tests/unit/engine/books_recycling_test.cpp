// Ids of what is gone are given out again, and nothing that stays is disturbed.

#include <gtest/gtest.h>

#include "engine/books.h"
#include "support/books_snapshot.h"

namespace muster {
namespace {

struct Recycling : testing::Test {
  Books books{Accounting{}};

  PodId pod(const std::string& name, GroupId group = GroupId(), const std::string& app = "x") {
    PodShape shape;
    shape.request.set(kCpu, 1);
    shape.images = {app};
    PodTerms terms;
    terms.spread.push_back({});
    terms.spread.back().topology_key = app;
    PodRecord record;
    record.name = name;
    record.ns = books.symbols().intern("ns");
    record.shape = books.intern_shape(shape);
    record.labels = books.intern_labels(record.ns, StringMap({{"app", app}}));
    record.terms = books.intern_terms(terms);
    record.group = group;
    return books.add_pod(record);
  }
  NodeId node(const std::string& name, std::int64_t cpu = 8) {
    const auto id = books.place_last(books.intern_node(name));
    NodeRecord record;
    record.name = name;
    record.labels.set("name", name);
    Amounts amounts;
    amounts.set(kCpu, cpu);
    books.set_node(id, record, amounts);
    return id;
  }
  void put(PodId pod, NodeId node) {
    books.set_state(pod, PodState::kRunning, node);
    books.account(pod, node, PodState::kRunning);
    books.arrive(pod, node);
  }
  std::vector<std::string> known_nodes() const {
    std::vector<std::string> names;
    for (const auto id : IdRange<NodeId>(books.node_count()))
      if (books.node(id).known) names.push_back(books.node(id).name);
    return names;
  }
};

// Keeps what observers are told.
struct Presence : PresenceObserver {
  std::map<PodId, NodeId> at;
  void on_arrive(PodId pod, NodeId node) override { at[pod] = node; }
  void on_depart(PodId pod, NodeId) override { at.erase(pod); }
};

TEST_F(Recycling, IdsOfPodsAreFreeOnceTheyAreRecycled) {
  const auto a = pod("a"), b = pod("b");
  books.remove_pod(a);
  EXPECT_TRUE(books.removed(a));
  EXPECT_EQ(books.pod(a).name, "a");
  const auto c = pod("c");
  EXPECT_NE(c, a);
  books.recycle_pods();
  books.remove_pod(b);
  const auto d = pod("d");
  EXPECT_EQ(d, a);
  EXPECT_FALSE(books.removed(d));
  EXPECT_EQ(books.live_pods(), 2u);
  EXPECT_EQ(books.pod_count(), 3u);
}

TEST_F(Recycling, AGroupThatTakesTheIdOfAnotherIsAnother) {
  const auto a = books.add_group("ns/a");
  books.remove_pod(pod("p", a));
  const auto version = books.group(a).version;
  books.remove_group(a);
  EXPECT_FALSE(books.exists(a));
  const auto b = books.add_group("ns/b");
  EXPECT_EQ(b, a);
  EXPECT_EQ(books.group(b).name, "ns/b");
  EXPECT_GT(books.group(b).version, version);
  EXPECT_TRUE(books.group(b).held.empty());
  EXPECT_TRUE(books.check_sums());
}

TEST_F(Recycling, NodesAreInTheOrderInWhichTheirObjectsCame) {
  const auto early = books.intern_node("late");
  put(pod("p"), early);
  const auto a = node("a"), b = node("b");
  EXPECT_LT(a, b);
  const auto late = node("late");
  EXPECT_LT(b, late);
  EXPECT_EQ(books.find_node("late"), late);
  EXPECT_EQ(books.pods_on(late).size(), 1u);
  EXPECT_EQ(books.pod(books.pods_on(late).front()).node, late);
  EXPECT_EQ(books.pods_present(late).size(), 1u);
  EXPECT_EQ(books.ledgers().idle[kCpu.index()][late.index()], 7);
  books.remove_node(a);
  node("a");
  EXPECT_EQ(known_nodes(), (std::vector<std::string>{"b", "late", "a"}));
  EXPECT_TRUE(books.check_sums());
}

TEST_F(Recycling, GapsAmongNodesAreClosed) {
  Presence presence;
  books.observe(presence);
  const auto a = node("a"), b = node("b"), c = node("c"), d = node("d");
  const auto p = pod("p"), q = pod("q"), r = pod("r");
  put(p, b), put(q, c), put(r, d);
  books.set_state(r, PodState::kSucceeded, d);
  books.depart(r), books.unaccount(r);
  books.remove_node(a);
  books.remove_node(b);  // its pod stays
  const auto total = books.total_used();
  const auto cursor = books.log_end();
  books.sweep_nodes({});
  EXPECT_EQ(books.find_node("a"), NodeId());
  EXPECT_EQ(books.close_gaps().size(), 3u);
  EXPECT_EQ(books.node_count(), 3u);
  EXPECT_EQ(known_nodes(), (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(books.pod(p).accounted_on, books.find_node("b"));
  EXPECT_EQ(books.pod(q).present_on, books.find_node("c"));
  EXPECT_EQ(books.pod(r).node, books.find_node("d"));
  EXPECT_EQ(presence.at, (std::map<PodId, NodeId>{{p, books.find_node("b")}, {q, books.find_node("c")}}));
  EXPECT_EQ(books.total_used(), total);
  EXPECT_LT(cursor, books.log_start());
  EXPECT_TRUE(books.check_sums());
  const auto e = node("e");
  EXPECT_EQ(e.index(), 3u);
  books.ignore(presence);
}

TEST_F(Recycling, NodesThatSomebodyNamesStay) {
  node("a");
  const auto b = books.intern_node("b"), c = books.intern_node("c");
  Bitset named(books.node_count());
  named.set(b.index());
  books.sweep_nodes(named);
  EXPECT_EQ(books.find_node("b"), b);
  EXPECT_EQ(books.find_node("c"), NodeId());
  EXPECT_EQ(books.intern_node("d"), c);
}

TEST_F(Recycling, ShapesLabelsAndTermsGoWithTheirPods) {
  books.set_spare_ids(2);
  const auto first = pod("first", GroupId(), "first");
  const auto kept = pod("kept", GroupId(), "kept");
  books.remove_pod(first);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(books.wants_sweep());
    books.remove_pod(pod("p" + std::to_string(i), GroupId(), "app" + std::to_string(i)));
    books.recycle_pods();
  }
  EXPECT_TRUE(books.wants_sweep());
  books.sweep();
  EXPECT_EQ(books.shape_count(), 1u);
  EXPECT_EQ(books.label_set_count(), 1u);
  const auto& record = books.pod(kept);
  EXPECT_EQ(books.shape(record.shape).images, std::vector<std::string>{"kept"});
  EXPECT_EQ(books.label_set(record.labels).labels.get("app"), "kept");
  EXPECT_EQ(books.terms(record.terms).spread.front().topology_key, "kept");
  EXPECT_EQ(books.pods_with_labels(record.labels), std::vector<PodId>{kept});
  for (int i = 0; i < 4; ++i) {
    const auto fresh = pod("n" + std::to_string(i), GroupId(), "new" + std::to_string(i));
    EXPECT_EQ(books.shape_of(fresh).images, std::vector<std::string>{"new" + std::to_string(i)});
    EXPECT_EQ(books.pods_with_labels(books.pod(fresh).labels), std::vector<PodId>{fresh});
  }
  const auto again = pod("again", GroupId(), "kept");
  EXPECT_EQ(books.pod(again).shape, books.pod(kept).shape);
  EXPECT_EQ(books.pod(again).labels, books.pod(kept).labels);
  EXPECT_EQ(books.shape_count(), 5u);
  EXPECT_TRUE(books.check_sums());
}

}  // namespace
}  // namespace muster
