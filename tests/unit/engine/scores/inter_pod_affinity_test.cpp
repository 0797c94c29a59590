#include "engine/scores/inter_pod_affinity.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/score_list.h"

namespace muster {
namespace {

using Scores = std::vector<std::int64_t>;

struct InterPodAffinityScore : testing::Test {
  TestCluster cluster;
  NodeId a1 = cluster.add(a_node("a1").label("zone", "a").label("host", "a1"));
  NodeId a2 = cluster.add(a_node("a2").label("zone", "a").label("host", "a2"));
  NodeId b1 = cluster.add(a_node("b1").label("zone", "b").label("host", "b1"));
  NodeId bare = cluster.add(a_node("bare"));
  NamespaceLabels namespaces;
  PodRelations relations{cluster.books, namespaces};
  InterPodAffinityScorer scorer{cluster.books, relations};

  Scores scores(const PodBuilder& pod) { return scores_of(scorer, cluster.add(pod), {a1, a2, b1, bare}); }
};

TEST_F(InterPodAffinityScore, DrawsAndPushesByOwnTerms) {
  cluster.place(a_pod("web").label("app", "web"), a1);
  cluster.place(a_pod("db").label("app", "db"), b1);
  EXPECT_EQ(scores(a_pod("p").prefer_near(10, a_term("zone").match("app", "web"))), (Scores{100, 100, 0, 0}));
  // zone a +10, host a1 another +5, zone b -5: 15, 10, -5 and 0.
  EXPECT_EQ(scores(a_pod("q")
                       .prefer_near(10, a_term("zone").match("app", "web"))
                       .prefer_near(5, a_term("host").match("app", "web"))
                       .prefer_away(5, a_term("zone").match("app", "db"))),
            (Scores{100, 75, 0, 25}));
}

TEST_F(InterPodAffinityScore, CountsEveryMatchingPod) {
  cluster.place(a_pod("w1").label("app", "web"), a1);
  cluster.place(a_pod("w2").label("app", "web"), a2);
  cluster.place(a_pod("w3").label("app", "web"), a2);
  cluster.place(a_pod("w4").label("app", "web"), b1);
  EXPECT_EQ(scores(a_pod("p").prefer_near(1, a_term("host").match("app", "web"))), (Scores{50, 100, 50, 0}));
  EXPECT_EQ(scores(a_pod("q").prefer_near(7, a_term("zone").match("app", "web"))), (Scores{100, 100, 33, 0}));  // 21, 21, 7, 0
}

TEST_F(InterPodAffinityScore, HasNothingToSayWhenNothingMatches) {
  cluster.place(a_pod("web").label("app", "web"), a1);
  EXPECT_EQ(scores(a_pod("p").prefer_near(10, a_term("zone").match("app", "none"))), Scores{});
  EXPECT_EQ(scores(a_pod("q")), Scores{});
  EXPECT_EQ(scorer.dependence(cluster.add(a_pod("r"))), Dependence::kNothing);
}

TEST_F(InterPodAffinityScore, HeedsTheWishesOfPodsThatAreThere) {
  cluster.place(a_pod("friend").prefer_near(4, a_term("zone").match("app", "web")), a1);
  cluster.place(a_pod("foe").prefer_away(4, a_term("zone").match("app", "web")), b1);
  cluster.place(a_pod("must").affinity(a_term("host").match("app", "web")), a2);  // required terms of others weigh nothing
  relations.begin_cycle();
  EXPECT_EQ(scores(a_pod("p").label("app", "web")), (Scores{100, 100, 0, 50}));  // 4, 4, -4, 0
  EXPECT_EQ(scorer.dependence(cluster.add(a_pod("q").label("app", "web"))), Dependence::kOthers);
}

TEST_F(InterPodAffinityScore, APodWithoutWishesSeesThoseOfOthersOnListedNodesOnly) {
  relations.begin_cycle();
  cluster.place(a_pod("friend").prefer_near(4, a_term("zone").match("app", "web")), a1);
  EXPECT_EQ(scores(a_pod("p").label("app", "web")), Scores{});
  EXPECT_EQ(scores(a_pod("q").label("app", "web").prefer_near(1, a_term("zone").match("app", "none"))), (Scores{100, 100, 0, 0}));
  relations.begin_cycle();
  EXPECT_EQ(scores(a_pod("r").label("app", "web")), (Scores{100, 100, 0, 0}));
}

TEST_F(InterPodAffinityScore, EqualPointsAllScoreNothing) {
  cluster.place(a_pod("w1").label("app", "web"), a1);
  const auto pod = cluster.add(a_pod("p").prefer_near(1, a_term("zone").match("app", "web")));
  EXPECT_EQ(scores_of(scorer, pod, {a1, a2}), (Scores{0, 0}));
}

}  // namespace
}  // namespace muster
