#include "engine/scores/topology_spread.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/score_list.h"

namespace muster {
namespace {

using Scores = std::vector<std::int64_t>;
constexpr auto kHost = "kubernetes.io/hostname";

struct TopologySpreadScore : testing::Test {
  TestCluster cluster;
  NodeId a1 = cluster.add(a_node("a1").label("zone", "a").label(kHost, "a1"));
  NodeId a2 = cluster.add(a_node("a2").label("zone", "a").label(kHost, "a2").label("disk", "ssd"));
  NodeId b1 = cluster.add(a_node("b1").label("zone", "b").label(kHost, "b1").label("disk", "ssd"));
  NodeId bare = cluster.add(a_node("bare"));
  NamespaceLabels namespaces;
  PodRelations relations{cluster.books, namespaces};
  TopologySpreadScorer scorer{cluster.books, relations};

  PodBuilder web(const char* name) { return a_pod(name).label("app", "web"); }
  void place_web(int count, NodeId node) {
    for (int i = 0; i < count; ++i) cluster.place(web("web"), node);
  }
  Scores scores(const PodBuilder& pod, std::vector<NodeId> nodes) { return scores_of(scorer, cluster.add(pod), nodes); }
  Scores scores(const PodBuilder& pod) { return scores(pod, {a1, a2, b1, bare}); }
};

TEST_F(TopologySpreadScore, HasNothingToSayWithoutSuchConstraints) {
  EXPECT_EQ(scores(web("p")), Scores{});
  EXPECT_EQ(scores(web("q").spread(a_spread("zone").match("app", "web"))), Scores{});
  EXPECT_EQ(scorer.dependence(cluster.add(web("r").spread(a_spread("zone").match("app", "web").anyway()))), Dependence::kOthers);
}

TEST_F(TopologySpreadScore, PrefersTheEmptierDomain) {
  const auto pod = web("p").spread(a_spread("zone").match("app", "web").anyway());
  EXPECT_EQ(scores(pod), (Scores{100, 100, 100, 0})) << "nobody anywhere; a node without the label scores nothing";
  place_web(3, a1);
  place_web(1, b1);
  // Two zones weigh ln 4 = 1.386: 4.16 -> 4 in a, 1.39 -> 1 in b; 100 x (4 + 1 - s) / 4.
  EXPECT_EQ(scores(pod), (Scores{25, 25, 100, 0}));
}

TEST_F(TopologySpreadScore, CountsHostsOneByOne) {
  place_web(3, a1);
  place_web(1, b1);
  // Three hosts weigh ln 5 = 1.609: 4.83 -> 5, 0, 1.61 -> 2; 100 x (5 + 0 - s) / 5.
  EXPECT_EQ(scores(web("p").spread(a_spread(kHost).match("app", "web").anyway())), (Scores{0, 100, 60, 0}));
}

TEST_F(TopologySpreadScore, AWiderSkewWatersDifferencesDown) {
  place_web(3, a1);
  place_web(1, b1);
  // 4.16 + 4 = 8.16 -> 8 and 1.39 + 4 = 5.39 -> 5: 100 x (13 - s) / 8.
  EXPECT_EQ(scores(web("p").spread(a_spread("zone", 5).match("app", "web").anyway())), (Scores{62, 62, 100, 0}));
}

TEST_F(TopologySpreadScore, AddsSeveralConstraints) {
  place_web(3, a1);
  place_web(1, b1);
  // zone + host: a1 4.16 + 4.83 = 8.99 -> 9, a2 4.16 -> 4, b1 1.39 + 1.61 = 3.00 -> 3; 100 x (12 - s) / 9.
  EXPECT_EQ(
      scores(web("p").spread(a_spread("zone").match("app", "web").anyway()).spread(a_spread(kHost).match("app", "web").anyway())),
      (Scores{33, 88, 100, 0}));
}

TEST_F(TopologySpreadScore, CountsPodsOnAllNodesOfTheDomainsOfCandidates) {
  place_web(3, a1);
  place_web(1, b1);
  const auto pod = web("p").spread(a_spread("zone").match("app", "web").anyway());
  EXPECT_EQ(scores(pod, {a2, b1}), (Scores{25, 100}));
  EXPECT_EQ(scores(pod, {a2}), (Scores{100})) << "one zone weighs ln 3: 3.30 -> 3; 100 x (3 + 3 - 3) / 3";
}

TEST_F(TopologySpreadScore, LeavesOutNodesThatThePodMayNotUse) {
  place_web(3, a1);
  place_web(1, b1);
  const auto pod = web("p").select("disk", "ssd").spread(a_spread("zone").match("app", "web").anyway());
  EXPECT_EQ(scores(pod, {a2, b1}), (Scores{100, 0})) << "0 in a, for a1 has no such disk; 1.39 -> 1 in b";
}

}  // namespace
}  // namespace muster
