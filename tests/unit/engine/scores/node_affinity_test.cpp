#include "engine/scores/node_affinity.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/score_list.h"

namespace muster {
namespace {

using Scores = std::vector<std::int64_t>;

TEST(NodeAffinityScorer, TheMostPointsMakeAHundred) {
  TestCluster cluster;
  const auto both = cluster.add(a_node("both").label("disk", "ssd").label("zone", "a"));
  const auto disk = cluster.add(a_node("disk").label("disk", "ssd"));
  const auto zone = cluster.add(a_node("zone").label("zone", "a"));
  const auto none = cluster.add(a_node("none"));
  const auto pod = cluster.add(a_pod("p").prefer(2, "disk", "ssd").prefer(5, "zone", "a"));
  NodeAffinityScorer scorer(cluster.books);
  EXPECT_EQ(scorer.dependence(pod), Dependence::kCandidates);
  EXPECT_EQ(scores_of(scorer, pod, {both, disk, zone, none}), (Scores{100, 28, 71, 0}));  // 7, 2, 5 and 0 of 7
  EXPECT_EQ(scores_of(scorer, pod, {disk, zone}), (Scores{40, 100})) << "only candidates count";
  EXPECT_EQ(scores_of(scorer, pod, {none}), (Scores{0}));
}

TEST(NodeAffinityScorer, HasNothingToSayWithoutPreferredTerms) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n"));
  const auto pod = cluster.add(a_pod("p").select("disk", "ssd"));
  NodeAffinityScorer scorer(cluster.books);
  EXPECT_EQ(scorer.dependence(pod), Dependence::kNothing);
  EXPECT_EQ(scores_of(scorer, pod, {node}), Scores{});
}

TEST(NodeAffinityScorer, FollowsTheNodes) {
  TestCluster cluster;
  const auto n1 = cluster.add(a_node("n1").label("disk", "ssd"));
  const auto n2 = cluster.add(a_node("n2"));
  const auto pod = cluster.add(a_pod("p").prefer(1, "disk", "ssd"));
  NodeAffinityScorer scorer(cluster.books);
  EXPECT_EQ(scores_of(scorer, pod, {n1, n2}), (Scores{100, 0}));
  cluster.add(a_node("n2").label("disk", "ssd"));
  cluster.add(a_node("n1"));
  EXPECT_EQ(scores_of(scorer, pod, {n1, n2}), (Scores{0, 100}));
}

}  // namespace
}  // namespace muster
