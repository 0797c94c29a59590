#include "engine/filters/inter_pod_affinity.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"

namespace muster {
namespace {

constexpr auto kNotNear = "unresolvable: node(s) didn't match pod affinity rules";
constexpr auto kNotAway = "unschedulable: node(s) didn't match pod anti-affinity rules";
constexpr auto kUnwelcome = "unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";

// Two zones of two nodes, and a node without labels.
struct InterPodAffinity : testing::Test {
  TestCluster cluster;
  NodeId a1 = cluster.add(a_node("a1").label("zone", "a").label("host", "a1"));
  NodeId a2 = cluster.add(a_node("a2").label("zone", "a").label("host", "a2"));
  NodeId b1 = cluster.add(a_node("b1").label("zone", "b").label("host", "b1"));
  NodeId bare = cluster.add(a_node("bare"));
  NamespaceLabels namespaces;
  PodRelations relations{cluster.books, namespaces};
  InterPodAffinityFilter filter{cluster.books, cluster.fits, relations};

  std::vector<std::string> answers(const PodBuilder& pod) {
    const auto id = cluster.add(pod);
    std::vector<std::string> texts;
    for (const auto node : cluster.all_nodes()) texts.push_back(ask(cluster.fits, filter, id, node));
    return texts;
  }
  using Answers = std::vector<std::string>;
};

TEST_F(InterPodAffinity, HasNothingToSayAboutPodsWithoutTerms) {
  cluster.place(a_pod("web").label("app", "web"), a1);
  EXPECT_EQ(answers(a_pod("p")), (Answers{"skip", "skip", "skip", "skip"}));
  EXPECT_EQ(filter.dependence(cluster.add(a_pod("q"))), Dependence::kNothing);
}

TEST_F(InterPodAffinity, WantsADomainThatHoldsAMatchingPod) {
  cluster.place(a_pod("web").label("app", "web"), a1);
  EXPECT_EQ(answers(a_pod("p").affinity(a_term("zone").match("app", "web"))), (Answers{"", "", kNotNear, kNotNear}));
  EXPECT_EQ(answers(a_pod("q").affinity(a_term("host").match("app", "web"))), (Answers{"", kNotNear, kNotNear, kNotNear}));
}

TEST_F(InterPodAffinity, WantsOnePodThatMatchesAllTerms) {
  cluster.place(a_pod("web").label("app", "web"), a1);
  cluster.place(a_pod("db").label("tier", "db"), a1);
  const auto both = a_pod("p").affinity(a_term("zone").match("app", "web")).affinity(a_term("host").match("tier", "db"));
  EXPECT_EQ(answers(both), (Answers{kNotNear, kNotNear, kNotNear, kNotNear}));
  cluster.place(a_pod("all").label("app", "web").label("tier", "db"), a2);
  EXPECT_EQ(answers(both), (Answers{kNotNear, "", kNotNear, kNotNear}));
}

TEST_F(InterPodAffinity, LetsTheFirstOfAKindStartAnywhereWithTheLabel) {
  const auto own_kind = a_pod("p").label("app", "new").affinity(a_term("zone").match("app", "new"));
  EXPECT_EQ(answers(own_kind), (Answers{"", "", "", kNotNear}));
  EXPECT_EQ(answers(a_pod("q").label("app", "old").affinity(a_term("zone").match("app", "new"))),
            (Answers{kNotNear, kNotNear, kNotNear, kNotNear}));
  cluster.place(own_kind, b1);
  EXPECT_EQ(answers(own_kind), (Answers{kNotNear, kNotNear, "", kNotNear}));
}

TEST_F(InterPodAffinity, StaysAwayFromDomainsThatHoldAMatchingPod) {
  cluster.place(a_pod("web").label("app", "web"), a1);
  EXPECT_EQ(answers(a_pod("p").anti_affinity(a_term("zone").match("app", "web"))), (Answers{kNotAway, kNotAway, "", ""}));
  EXPECT_EQ(answers(a_pod("q").anti_affinity(a_term("host").match("app", "web"))), (Answers{kNotAway, "", "", ""}));
}

TEST_F(InterPodAffinity, LooksIntoItsOwnNamespaceUnlessTold) {
  cluster.place(a_pod("web").ns("other").label("app", "web"), a1);
  const auto term = [] { return a_term("zone").match("app", "web"); };
  EXPECT_EQ(answers(a_pod("p").anti_affinity(term())), (Answers{"", "", "", ""}));
  EXPECT_EQ(answers(a_pod("q").anti_affinity(term().in("other"))), (Answers{kNotAway, kNotAway, "", ""}));
  EXPECT_EQ(answers(a_pod("r").anti_affinity(term().in_namespaces({}))), (Answers{kNotAway, kNotAway, "", ""}));
}

TEST_F(InterPodAffinity, FollowsTheLabelsOfNamespaces) {
  cluster.place(a_pod("web").ns("other").label("app", "web"), a1);
  const auto pod = a_pod("p").anti_affinity(a_term("zone").match("app", "web").in_namespaces(matching("env", "prod")));
  EXPECT_EQ(answers(pod), (Answers{"", "", "", ""}));
  Namespace ns;
  ns.meta.name = "other";
  ns.meta.labels.set("env", "prod");
  namespaces.set(ns);
  EXPECT_EQ(answers(pod), (Answers{kNotAway, kNotAway, "", ""}));
  namespaces.remove("other");
  EXPECT_EQ(answers(pod), (Answers{"", "", "", ""}));
}

// The selector of a pod that is being placed is also asked without any labels, and then only excluding holds.
TEST_F(InterPodAffinity, ASelectorThatOnlyExcludesLetsEveryNamespaceIn) {
  Namespace ns;
  ns.meta.name = "other";
  ns.meta.labels.set("env", "prod");
  namespaces.set(ns);
  cluster.place(a_pod("web").ns("other").label("app", "web"), a1);
  const LabelSelector not_prod{{{"env", SelectorOp::kNotIn, {"prod"}}}};
  EXPECT_EQ(answers(a_pod("p").anti_affinity(a_term("zone").match("app", "web").in_namespaces(not_prod))),
            (Answers{kNotAway, kNotAway, "", ""}));
}

TEST_F(InterPodAffinity, HeedsTheAntiAffinityOfPodsThatAreThere) {
  cluster.place(a_pod("db").anti_affinity(a_term("zone").match("app", "web")), b1);
  relations.begin_cycle();
  EXPECT_EQ(answers(a_pod("p").label("app", "web")), (Answers{"", "", kUnwelcome, ""}));
  EXPECT_EQ(answers(a_pod("q").label("app", "other")), (Answers{"skip", "skip", "skip", "skip"}));
}

TEST_F(InterPodAffinity, SeesTheTermsOfOthersOnlyOnNodesListedWhenTheCycleBegan) {
  const auto guard = [](const char* name) { return a_pod(name).anti_affinity(a_term("host").match("app", "web")); };
  const auto web = a_pod("p").label("app", "web");
  const auto first = cluster.place(guard("first"), a1);
  relations.begin_cycle();
  cluster.place(guard("second"), a2);
  EXPECT_EQ(answers(web), (Answers{kUnwelcome, "", "", ""})) << "a2 had no such pod when the cycle began";
  cluster.books.depart(first);
  EXPECT_EQ(answers(web), (Answers{"skip", "skip", "skip", "skip"}));
  cluster.place(guard("third"), a1);
  EXPECT_EQ(answers(web), (Answers{kUnwelcome, "", "", ""})) << "a1 stays on the list";
  relations.begin_cycle();
  EXPECT_EQ(answers(web), (Answers{kUnwelcome, kUnwelcome, "", ""}));
}

TEST_F(InterPodAffinity, SaysOneThingOfANodeThatFailsSeveral) {
  cluster.place(a_pod("web").label("app", "web").anti_affinity(a_term("zone").match("app", "p")), a1);
  relations.begin_cycle();
  const auto pod =
      a_pod("p").label("app", "p").affinity(a_term("host").match("app", "web")).anti_affinity(a_term("zone").match("app", "web"));
  EXPECT_EQ(answers(pod), (Answers{kNotAway, kNotNear, kNotNear, kNotNear}));
}

TEST_F(InterPodAffinity, FollowsNodesThatChangeTheirLabels) {
  cluster.place(a_pod("web").label("app", "web"), a1);
  const auto pod = a_pod("p").anti_affinity(a_term("zone").match("app", "web"));
  EXPECT_EQ(answers(pod), (Answers{kNotAway, kNotAway, "", ""}));
  cluster.add(a_node("a1").label("zone", "b").label("host", "a1"));
  EXPECT_EQ(answers(pod), (Answers{kNotAway, "", kNotAway, ""}));
}

TEST_F(InterPodAffinity, TheAnswerIsThatOfThePreparedMoment) {
  const auto web = cluster.place(a_pod("web").label("app", "web"), a1);
  const auto pod = cluster.add(a_pod("p").anti_affinity(a_term("zone").match("app", "web")));
  filter.prepare(pod);
  cluster.books.depart(web);
  EXPECT_EQ(text_of(cluster.fits, filter.check(pod, a2)), kNotAway);
  filter.prepare(pod);
  EXPECT_TRUE(filter.check(pod, a2).ok());
}

}  // namespace
}  // namespace muster
