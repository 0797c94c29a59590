// Both kinds of search, asked the same questions about clusters small enough to see the answer.

#include "engine/node_search.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

#include "support/books_builder.h"

namespace muster {
namespace {

Accounting leaving_and_waiting() {
  Accounting accounting;
  accounting.rules[static_cast<std::size_t>(PodState::kReleasing)] = {true, true, false};
  accounting.rules[static_cast<std::size_t>(PodState::kPipelined)] = {false, false, true};
  return accounting;
}

// Rules that a test sets node by node. Scores fall with what is used, so that placements change them.
class TableRules final : public PlacementRules {
 public:
  explicit TableRules(TestCluster& cluster) : cluster_(cluster) {}

  ClassId class_of(PodId pod) override { return ClassId(cluster_.books.pod(pod).shape.index()); }
  Dependence filter_dependence(PodId) const override { return away.empty() ? Dependence::kNode : Dependence::kOthers; }
  void judge(PodId, NodeId node, Dependence up_to, Verdict& verdict) const override {
    if (refused.contains(node)) verdict.push_back(cluster_.fits.status(FitCode::kUnresolvable, "refused"));
    if (up_to >= Dependence::kOthers && away.contains(node))
      verdict.push_back(cluster_.fits.status(FitCode::kUnschedulable, "too near"));
  }
  void restrict_by_others(PodId, Bitset& nodes) const override {
    for (const auto node : away) nodes.reset(node.index());
  }
  Dependence score_dependence(PodId) const override { return normalised ? Dependence::kCandidates : Dependence::kNode; }
  bool score(PodId, std::span<const NodeId> nodes, std::span<double> totals) override {
    ++scorings;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto bonus = liking.find(nodes[i]);
      totals[i] =
          (bonus == liking.end() ? 0 : bonus->second) - static_cast<double>(cluster_.books.ledgers().used[0][nodes[i].index()]);
    }
    return scoring_works;
  }

  std::set<NodeId> refused;  // whatever else happens
  std::set<NodeId> away;     // because of other pods
  std::map<NodeId, double> liking;
  bool normalised = false;
  bool scoring_works = true;
  int scorings = 0;

 private:
  TestCluster& cluster_;
};

class NodeSearchTest : public testing::TestWithParam<SearchKind> {
 protected:
  NodeSearchTest() : cluster(leaving_and_waiting()) {
    for (const char* name : {"n0", "n1", "n2", "n3"}) nodes.push_back(cluster.add(a_node(name).cpu(4)));
    pod = cluster.add(a_pod("p").cpu(2));
    search = GetParam() == SearchKind::kIndex ? make_index_search(cluster.books, cluster.fits, rules, work, make_index_memory())
                                              : make_reference_search(cluster.books, cluster.fits, rules, work);
  }

  PodId hold(NodeId node, std::int64_t cores, PodState as = PodState::kRunning) {
    const auto holder = cluster.add(a_pod("h" + std::to_string(cluster.books.pod_count())).cpu(cores));
    cluster.books.account(holder, node, as);
    return holder;
  }
  NodeSearch::Query query() const { return {.pod = pod}; }
  std::string best(const NodeSearch::Query& query) {
    const auto choice = search->best(query);
    if (!choice) return "none";
    return cluster.books.node(choice->node).name + (choice->when == NodeSearch::When::kNow ? " now" : " later");
  }
  std::string best() { return best(query()); }
  // "n1: Insufficient cpu; n3: refused, too near"
  std::string refusals(const NodeSearch::Query& query) {
    std::string out;
    search->refusals(query, [&](NodeId node, VerdictId verdict) {
      out += (out.empty() ? "" : "; ") + cluster.books.node(node).name + ":";
      for (const auto& status : cluster.fits.verdict(verdict)) out += " " + cluster.fits.text(status.reason);
    });
    return out;
  }
  Bitset set_of(std::initializer_list<std::size_t> members) const {
    Bitset set(nodes.size());
    for (const auto member : members) set.set(member);
    return set;
  }

  TestCluster cluster;
  std::vector<NodeId> nodes;
  PodId pod;
  TableRules rules{cluster};
  WorkCounters work;
  std::unique_ptr<NodeSearch> search;
};

TEST_P(NodeSearchTest, TheFirstOfEqualNodesWins) {
  EXPECT_EQ(best(), "n0 now");
  EXPECT_EQ(search->feasible(query()).count(), 4u);
}

TEST_P(NodeSearchTest, TheHighestScoreWinsAndFollowsPlacements) {
  rules.liking[nodes[2]] = 1500;
  EXPECT_EQ(best(), "n2 now");
  const auto holder = hold(nodes[2], 2);
  EXPECT_EQ(best(), "n0 now");
  cluster.books.unaccount(holder);
  EXPECT_EQ(best(), "n2 now");
}

TEST_P(NodeSearchTest, AFreeNodeComesBeforeABetterOneThatWillBeFree) {
  for (const auto n : {0u, 1u, 2u}) hold(nodes[n], 3, PodState::kReleasing);
  rules.liking[nodes[1]] = 1e9;
  EXPECT_EQ(best(), "n3 now");
  hold(nodes[3], 4);
  EXPECT_EQ(best(), "n1 later");
  hold(nodes[1], 2, PodState::kPipelined);
  EXPECT_EQ(best(), "n1 later");
  hold(nodes[1], 1, PodState::kPipelined);
  EXPECT_EQ(best(), "n0 later");
}

TEST_P(NodeSearchTest, RefusedNodesAreNeverChosenAndSayWhy) {
  rules.refused = {nodes[0]};
  hold(nodes[1], 3);
  EXPECT_EQ(best(), "n2 now");
  EXPECT_EQ(refusals(query()), "n0: refused; n1: Insufficient cpu");
  rules.refused.insert(nodes[1]);  // a lack of resources is heard first and alone
  EXPECT_EQ(refusals(query()), "n0: refused; n1: Insufficient cpu");
}

TEST_P(NodeSearchTest, FiltersThatLookAtOtherPodsAreAskedAnew) {
  rules.away = {nodes[0], nodes[1]};
  EXPECT_EQ(best(), "n2 now");
  EXPECT_EQ(refusals(query()), "n0: too near; n1: too near");
  rules.away = {nodes[2]};
  EXPECT_EQ(best(), "n0 now");
  rules.refused = {nodes[2]};
  cluster.add(a_node("n2").cpu(4));  // its facts changed
  EXPECT_EQ(refusals(query()), "n2: refused too near");
}

TEST_P(NodeSearchTest, NothingFits) {
  for (const auto node : nodes) hold(node, 3);
  EXPECT_EQ(best(), "none");
  EXPECT_FALSE(search->feasible(query()).any());
  const auto counts = search->refusal_counts(query());
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0].second, 4u);
}

TEST_P(NodeSearchTest, QueriesNameTheirNodes) {
  const auto some = set_of({1, 2}), excluded = set_of({1}), preferred = set_of({3});
  auto narrowed = query();
  narrowed.nodes = &some;
  EXPECT_EQ(best(narrowed), "n1 now");
  narrowed.excluded = &excluded;
  EXPECT_EQ(best(narrowed), "n2 now");
  hold(nodes[2], 4);
  EXPECT_EQ(refusals(narrowed), "n2: Insufficient cpu");
  auto preferring = query();
  preferring.preferred = &preferred;
  EXPECT_EQ(best(preferring), "n3 now");
  hold(nodes[3], 4, PodState::kReleasing);
  EXPECT_EQ(best(preferring), "n0 now");  // now and not preferred comes before later and preferred
  hold(nodes[0], 4), hold(nodes[1], 4, PodState::kReleasing);
  EXPECT_EQ(best(preferring), "n3 later");
}

TEST_P(NodeSearchTest, ResourcesCanBeLeftAside) {
  for (const auto node : nodes) hold(node, 4);
  rules.refused = {nodes[0]};
  auto relaxed = query();
  relaxed.ignore_resources = true;
  EXPECT_EQ(best(relaxed), "n1 now");
  EXPECT_EQ(best(), "none");
  EXPECT_EQ(refusals(relaxed), "n0: refused");
}

TEST_P(NodeSearchTest, ALoneCandidateIsNotScoredWhereScoresAreNormalised) {
  rules.normalised = true;
  rules.refused = {nodes[0], nodes[1], nodes[2]};
  EXPECT_EQ(best(), "n3 now");
  EXPECT_EQ(rules.scorings, 0);
}

TEST_P(NodeSearchTest, WhereScoringFailsNothingIsChosenButNodesRemainFeasible) {
  rules.scoring_works = false;
  EXPECT_EQ(best(), "none");
  EXPECT_TRUE(search->feasible(query()).any());
}

TEST_P(NodeSearchTest, NodesThatComeChangeAndGoAreSeen) {
  EXPECT_EQ(best(), "n0 now");
  cluster.add(a_node("n0").cpu(1));
  EXPECT_EQ(best(), "n1 now");
  for (std::size_t n = 1; n < nodes.size(); ++n) cluster.books.remove_node(nodes[n]);
  EXPECT_EQ(best(), "none");
  EXPECT_EQ(refusals(query()), "n0: Insufficient cpu");  // nodes that are gone say nothing
  cluster.add(a_node("n9").cpu(4));
  EXPECT_EQ(best(), "n9 now");
}

INSTANTIATE_TEST_SUITE_P(Kinds, NodeSearchTest, testing::Values(SearchKind::kIndex, SearchKind::kReference),
                         [](const auto& kind) { return kind.param == SearchKind::kIndex ? "Index" : "Reference"; });

class IndexWork : public testing::Test {
 protected:
  IndexWork() {
    for (int i = 0; i < 200; ++i) nodes.push_back(cluster.add(a_node("n" + std::to_string(i)).cpu(4)));
    pod = cluster.add(a_pod("p").cpu(2));
  }
  NodeId best() {
    const auto choice = search->best({.pod = pod});
    return choice ? choice->node : NodeId();
  }

  TestCluster cluster;
  std::vector<NodeId> nodes;
  PodId pod;
  TableRules rules{cluster};
  WorkCounters work;
  std::shared_ptr<IndexMemory> memory = make_index_memory();
  std::unique_ptr<NodeSearch> search = make_index_search(cluster.books, cluster.fits, rules, work, memory);
};

TEST_F(IndexWork, ASecondQuestionCostsOnlyWhatChanged) {
  EXPECT_EQ(best(), nodes[0]);
  EXPECT_EQ(work.nodes_judged, 200u);
  EXPECT_EQ(best(), nodes[0]);
  EXPECT_EQ(work.nodes_judged, 200u);
  cluster.books.account(cluster.add(a_pod("h").cpu(3)), nodes[0], PodState::kRunning);
  EXPECT_EQ(best(), nodes[1]);
  EXPECT_EQ(work.nodes_judged, 201u);
}

TEST_F(IndexWork, PodsOfOneShapeShareTheAnswers) {
  best();
  pod = cluster.add(a_pod("other").cpu(2));
  EXPECT_EQ(best(), nodes[0]);
  EXPECT_EQ(work.nodes_judged, 200u);
}

TEST_F(IndexWork, AnswersOutliveTheSearch) {
  best();
  search = make_index_search(cluster.books, cluster.fits, rules, work, memory);
  EXPECT_EQ(best(), nodes[0]);
  EXPECT_EQ(work.nodes_judged, 200u);
}

TEST_F(IndexWork, WhoIsTooFarBehindTheLogAsksEverybodyAgain) {
  best();
  const auto holder = cluster.add(a_pod("h").cpu(3));
  for (int i = 0; i < 2000; ++i) {
    cluster.books.account(holder, nodes[static_cast<std::size_t>(i) % nodes.size()], PodState::kRunning);
    cluster.books.unaccount(holder);
  }
  cluster.books.account(holder, nodes[0], PodState::kRunning);
  cluster.books.trim_log();
  EXPECT_EQ(best(), nodes[1]);
  EXPECT_EQ(work.nodes_judged, 400u);
}

}  // namespace
}  // namespace muster
