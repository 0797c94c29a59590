#include "engine/scores/image_locality.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/score_list.h"

namespace muster {
namespace {

using Scores = std::vector<std::int64_t>;

TEST(ImageLocalityScorer, ValuesSizeAndSpread) {
  TestCluster cluster;
  const auto n1 = cluster.add(a_node("n1").image("web:v1", 500 * kTestMiB));
  const auto n2 = cluster.add(a_node("n2").image("web:v1", 500 * kTestMiB).image("tool:latest", 4000 * kTestMiB));
  const auto n3 = cluster.add(a_node("n3"));
  ImageLocalityScorer scorer(cluster.books, ImageSpread::kAllNodes);
  const auto nodes = std::vector{n1, n2, n3};
  // web on two of three nodes: 500 x 2/3 = 333 MiB -> 100 x (333.33 - 23) / (1000 - 23) = 31.
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("web").image("web:v1")), nodes), (Scores{31, 31, 0}));
  // tool on one of three: 1333 MiB counts as 1000.
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("tool").image("tool")), nodes), (Scores{0, 100, 0}));
  // Two containers share a bound of 2000: 333 -> 15, 1666 -> 83.
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("both").image("web:v1").image("tool")), nodes), (Scores{15, 83, 0}));
}

TEST(ImageLocalityScorer, NamesWithoutATagMeanTheLatest) {
  struct Row {
    const char* name;
    bool found;
  };
  const Row rows[] = {
      {"reg:5000/a", true}, {"reg:5000/a:latest", true}, {"reg:5000/a:v1", false}, {"reg:5000/a@sha256:1", false}, {"a", false},
      {"", false}};
  for (const auto& [name, found] : rows) {
    TestCluster cluster;
    const auto node = cluster.add(a_node("n").image("reg:5000/a:latest", 1000 * kTestMiB));
    const auto pod = cluster.add(a_pod("p").image(name));
    ImageLocalityScorer scorer(cluster.books, ImageSpread::kAllNodes);
    EXPECT_EQ(scores_of(scorer, pod, {node}), found ? Scores{100} : Scores{}) << name;
    EXPECT_EQ(scorer.dependence(pod), found ? Dependence::kNode : Dependence::kNothing) << name;
  }
}

TEST(ImageLocalityScorer, MayCountOnlyTheNodesThatCameBefore) {
  TestCluster cluster;
  for (const auto* name : {"n1", "n2", "n3", "n4"}) cluster.add(a_node(name).image("web:v1", 1000 * kTestMiB));
  ImageLocalityScorer scorer(cluster.books, ImageSpread::kEarlierNodes);
  // 250, 500, 750 and 1000 MiB.
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("p").image("web:v1")), cluster.all_nodes()), (Scores{23, 48, 74, 100}));
}

TEST(ImageLocalityScorer, SmallImagesMakeNoDifference) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n").image("tiny:1", 22 * kTestMiB));
  ImageLocalityScorer scorer(cluster.books, ImageSpread::kAllNodes);
  EXPECT_EQ(scorer.dependence(cluster.add(a_pod("p").image("tiny:1"))), Dependence::kNothing);
  cluster.add(a_node("n").image("tiny:1", 33 * kTestMiB));
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("p").image("tiny:1")), {node}), (Scores{1})) << "after the node has changed";
}

TEST(ImageLocalityScorer, TheFirstNodeSaysHowLargeAnImageIs) {
  TestCluster cluster;
  cluster.add(a_node("n1").image("web:v1", 500 * kTestMiB));
  cluster.add(a_node("n2").image("web:v1", 900 * kTestMiB).image("web:v1", 900 * kTestMiB));
  ImageLocalityScorer scorer(cluster.books, ImageSpread::kAllNodes);
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("p").image("web:v1")), cluster.all_nodes()), (Scores{48, 48}));
}

}  // namespace
}  // namespace muster
