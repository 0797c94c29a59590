#include "engine/scores/taint_toleration.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/score_list.h"

namespace muster {
namespace {

using enum TaintEffect;
using Scores = std::vector<std::int64_t>;

TEST(TaintTolerationScorer, FewerUnwelcomeTaintsScoreMore) {
  TestCluster cluster;
  const auto clean = cluster.add(a_node("clean"));
  const auto one = cluster.add(a_node("one").taint("a", "", kPreferNoSchedule).taint("c", "", kNoSchedule));
  const auto three = cluster.add(
      a_node("three").taint("a", "", kPreferNoSchedule).taint("b", "", kPreferNoSchedule).taint("d", "", kPreferNoSchedule));
  TaintTolerationScorer scorer(cluster.books);
  const auto pod = cluster.add(a_pod("p"));
  EXPECT_EQ(scorer.dependence(pod), Dependence::kCandidates);
  EXPECT_EQ(scores_of(scorer, pod, {clean, one, three}), (Scores{100, 67, 0}));  // 100 - 0, 33, 100
  EXPECT_EQ(scores_of(scorer, pod, {clean, one}), (Scores{100, 0})) << "only candidates count";
  const auto tolerant = cluster.add(a_pod("q").tolerate({"a", TolerationOp::kExists, "", kPreferNoSchedule}));
  EXPECT_EQ(scores_of(scorer, tolerant, {clean, one, three}), (Scores{100, 100, 0}));
}

TEST(TaintTolerationScorer, IsTheSameEverywhereWhileThePodMindsNothing) {
  TestCluster cluster;
  const auto n1 = cluster.add(a_node("n1").taint("a", "", kNoSchedule));
  const auto n2 = cluster.add(a_node("n2"));
  TaintTolerationScorer scorer(cluster.books);
  const auto pod = cluster.add(a_pod("p"));
  EXPECT_EQ(scorer.dependence(pod), Dependence::kNode);
  EXPECT_EQ(scores_of(scorer, pod, {n1, n2}), (Scores{100, 100}));
  cluster.add(a_node("n1").taint("a", "", kPreferNoSchedule));
  EXPECT_EQ(scorer.dependence(pod), Dependence::kCandidates);
  const auto tolerant = cluster.add(a_pod("q").tolerate({"", TolerationOp::kExists, "", {}}));
  EXPECT_EQ(scorer.dependence(tolerant), Dependence::kNode);
  EXPECT_EQ(scores_of(scorer, tolerant, {n1, n2}), (Scores{100, 100}));
}

}  // namespace
}  // namespace muster
