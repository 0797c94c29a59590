#include "engine/filters/topology_spread.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"

namespace muster {
namespace {

constexpr auto kSkewed = "unschedulable: node(s) didn't match pod topology spread constraints";
constexpr auto kUnlabelled = "unresolvable: node(s) didn't match pod topology spread constraints (missing required label)";

// Zone a with two nodes, zone b with one, and a node without labels.
struct TopologySpread : testing::Test {
  TestCluster cluster;
  NodeId a1 = cluster.add(a_node("a1").label("zone", "a").label("host", "a1").label("disk", "ssd"));
  NodeId a2 = cluster.add(a_node("a2").label("zone", "a").label("host", "a2"));
  NodeId b1 = cluster.add(a_node("b1").label("zone", "b").label("host", "b1").label("disk", "ssd"));
  NodeId bare = cluster.add(a_node("bare"));
  NamespaceLabels namespaces;
  PodRelations relations{cluster.books, namespaces};
  TopologySpreadFilter filter{cluster.books, cluster.fits, relations};

  PodBuilder web(const char* name) { return a_pod(name).label("app", "web"); }
  void place_web(int count, NodeId node) {
    for (int i = 0; i < count; ++i) cluster.place(web("web"), node);
  }
  std::vector<std::string> answers(const PodBuilder& pod) {
    const auto id = cluster.add(pod);
    std::vector<std::string> texts;
    for (const auto node : cluster.all_nodes()) texts.push_back(ask(cluster.fits, filter, id, node));
    return texts;
  }
  using Answers = std::vector<std::string>;
};

TEST_F(TopologySpread, HasNothingToSayWithoutConstraintsThatMustHold) {
  EXPECT_EQ(answers(web("p")), (Answers{"skip", "skip", "skip", "skip"}));
  const auto wish = cluster.add(web("q").spread(a_spread("zone").match("app", "web").anyway()));
  EXPECT_EQ(filter.dependence(wish), Dependence::kNothing);
}

TEST_F(TopologySpread, KeepsDomainsWithinTheSkew) {
  place_web(1, a1);
  const auto pod = web("p").spread(a_spread("zone").match("app", "web"));
  EXPECT_EQ(answers(pod), (Answers{kSkewed, kSkewed, "", kUnlabelled}));  // 1 + 1 - 0 > 1 in a; 0 + 1 - 0 in b
  place_web(1, b1);
  EXPECT_EQ(answers(pod), (Answers{"", "", "", kUnlabelled}));
  EXPECT_EQ(answers(web("q").spread(a_spread("host").match("app", "web"))), (Answers{kSkewed, "", kSkewed, kUnlabelled}));
}

TEST_F(TopologySpread, APodThatDoesNotCountAddsNothing) {
  place_web(1, a1);
  EXPECT_EQ(answers(a_pod("p").label("app", "db").spread(a_spread("zone").match("app", "web"))),
            (Answers{"", "", "", kUnlabelled}));
  place_web(1, a1);
  EXPECT_EQ(answers(a_pod("q").label("app", "db").spread(a_spread("zone").match("app", "web"))),
            (Answers{kSkewed, kSkewed, "", kUnlabelled}));
}

TEST_F(TopologySpread, CountsOwnNamespaceAndPodsThatStay) {
  cluster.place(web("other").ns("other"), a1);
  cluster.place(web("going").terminating(), a1);
  EXPECT_EQ(answers(web("p").spread(a_spread("zone").match("app", "web"))), (Answers{"", "", "", kUnlabelled}));
}

TEST_F(TopologySpread, HearsThatAPodIsGoingAway) {
  const auto there = cluster.place(web("w"), a1);
  const auto pod = web("p").spread(a_spread("zone").match("app", "web"));
  EXPECT_EQ(answers(pod), (Answers{kSkewed, kSkewed, "", kUnlabelled}));
  cluster.books.set_terminating(there, true);
  relations.counts.on_terminating_changed(there);
  EXPECT_EQ(answers(pod), (Answers{"", "", "", kUnlabelled}));
  cluster.books.depart(there);
  EXPECT_EQ(answers(pod), (Answers{"", "", "", kUnlabelled}));
}

TEST_F(TopologySpread, TooFewDomainsCountAsAnEmptyOne) {
  place_web(1, a1);
  place_web(1, b1);
  EXPECT_EQ(answers(web("p").spread(a_spread("zone").match("app", "web").min_domains(2))), (Answers{"", "", "", kUnlabelled}));
  EXPECT_EQ(answers(web("q").spread(a_spread("zone").match("app", "web").min_domains(3))),
            (Answers{kSkewed, kSkewed, kSkewed, kUnlabelled}));
}

TEST_F(TopologySpread, LeavesOutNodesThatThePodMayNotUse) {
  place_web(2, a2);
  place_web(1, a1);
  // Only a1 and b1 count: 1 in a, none in b.
  const auto spread = [] { return a_spread("zone").match("app", "web"); };
  EXPECT_EQ(answers(web("p").select("disk", "ssd").spread(spread())), (Answers{kSkewed, kSkewed, "", kUnlabelled}));
  place_web(1, b1);
  EXPECT_EQ(answers(web("q").select("disk", "ssd").spread(spread())), (Answers{"", "", "", kUnlabelled}));
  // With all nodes of a zone: 3 in a, 1 in b.
  EXPECT_EQ(answers(web("r").select("disk", "ssd").spread(spread().ignore_affinity())),
            (Answers{kSkewed, kSkewed, "", kUnlabelled}));
}

TEST_F(TopologySpread, LeavesOutTaintedNodesWhereToldTo) {
  cluster.add(a_node("b1").label("zone", "b").label("host", "b1").taint("k", "", TaintEffect::kNoSchedule));
  place_web(1, a1);
  const auto spread = [] { return a_spread("zone").match("app", "web"); };
  EXPECT_EQ(answers(web("p").spread(spread())), (Answers{kSkewed, kSkewed, "", kUnlabelled}));
  EXPECT_EQ(answers(web("q").spread(spread().honor_taints())), (Answers{"", "", "", kUnlabelled})) << "zone a is the only one left";
  EXPECT_EQ(answers(web("r").tolerate({"k", TolerationOp::kExists, "", {}}).spread(spread().honor_taints())),
            (Answers{kSkewed, kSkewed, "", kUnlabelled}));
}

TEST_F(TopologySpread, AddsThePodsOwnValuesOfSomeLabels) {
  cluster.place(web("old").label("rev", "1"), a1);
  const auto pod = [&](const char* rev) {
    return web("p").label("rev", rev).spread(a_spread("zone").match("app", "web").match_label_key("rev").match_label_key("absent"));
  };
  EXPECT_EQ(answers(pod("1")), (Answers{kSkewed, kSkewed, "", kUnlabelled}));
  EXPECT_EQ(answers(pod("2")), (Answers{"", "", "", kUnlabelled}));
}

// An empty selector matches the pod itself, but nobody is counted with it.
TEST_F(TopologySpread, AnEmptySelectorCountsNobody) {
  place_web(3, a1);
  SpreadConstraint everyone = a_spread("zone");
  everyone.selector.emplace();
  EXPECT_EQ(answers(web("p").spread(everyone)), (Answers{"", "", "", kUnlabelled}));
  everyone.selector.reset();
  EXPECT_EQ(answers(web("q").spread(everyone)), (Answers{"", "", "", kUnlabelled}));
}

TEST_F(TopologySpread, TellsTheFirstConstraintThatFails) {
  cluster.add(a_node("bare").label("zone", "c"));
  place_web(1, a1);
  const auto pod = web("p").spread(a_spread("zone").match("app", "web")).spread(a_spread("host").match("app", "web"));
  EXPECT_EQ(answers(pod), (Answers{kSkewed, kSkewed, "", kUnlabelled}));
  // The node without a host label is not among the domains, so zone c is not the emptiest.
  place_web(1, b1);
  EXPECT_EQ(answers(pod), (Answers{kSkewed, "", kSkewed, kUnlabelled}));
}

}  // namespace
}  // namespace muster
