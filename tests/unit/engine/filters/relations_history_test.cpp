#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/filters/inter_pod_affinity.h"
#include "engine/filters/pod_relations.h"
#include "engine/filters/topology_spread.h"
#include "engine/scores/inter_pod_affinity.h"
#include "engine/scores/topology_spread.h"
#include "support/books_builder.h"
#include "support/naive_relations.h"

namespace muster {
namespace {

// At full size from the first case on: small ranges are no simpler here.
int pick(int count) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count)); }
bool chance(int of) { return pick(of) == 0; }

std::string one_of(std::initializer_list<const char*> texts) { return texts.begin()[pick(static_cast<int>(texts.size()))]; }

NodeBuilder random_node(const std::string& name) {
  auto node = a_node(name).cpu(8);
  if (!chance(4)) node.label("zone", one_of({"a", "b", "c"}));
  if (!chance(6)) node.label("kubernetes.io/hostname", name);
  if (chance(2)) node.label("disk", one_of({"ssd", "hdd"}));
  if (chance(4)) node.taint("team", "x", TaintEffect::kNoSchedule);
  return node;
}

LabelSelector random_selector() {
  switch (pick(6)) {
    case 0: return {};
    case 1: return {{{"app", SelectorOp::kExists, {}}}};
    case 2: return {{{"app", SelectorOp::kNotIn, {"x"}}}};
    case 3: return {{{"app", SelectorOp::kIn, {"x", "y"}}, {"tier", SelectorOp::kIn, {"1"}}}};
    default: return matching("app", one_of({"x", "y", "z"}));
  }
}

std::string random_key() { return one_of({"zone", "zone", "kubernetes.io/hostname", "disk", "rack"}); }

PodAffinityTerm random_term() {
  PodAffinityTerm term;
  term.topology_key = random_key();
  if (!chance(8)) term.selector = random_selector();
  if (chance(4)) term.namespaces.push_back(one_of({"n1", "n2"}));
  if (chance(4))
    term.namespace_selector = chance(3) ? LabelSelector{{{"env", SelectorOp::kDoesNotExist, {}}}} : matching("env", "prod");
  return term;
}

SpreadConstraint random_spread() {
  SpreadConstraint spread;
  spread.topology_key = random_key();
  spread.max_skew = 1 + pick(2);
  if (!chance(8)) spread.selector = random_selector();
  if (chance(2)) spread.action = SpreadAction::kScheduleAnyway;
  if (chance(4)) spread.min_domains = 1 + pick(4);
  if (chance(3)) spread.node_affinity = NodeInclusion::kIgnore;
  if (chance(3)) spread.node_taints = NodeInclusion::kHonor;
  if (chance(4)) spread.match_label_keys.push_back("tier");
  return spread;
}

PodBuilder random_pod(const std::string& name) {
  auto pod = a_pod(name).cpu(1).ns(one_of({"n1", "n2"}));
  if (!chance(6)) pod.label("app", one_of({"x", "y", "z"}));
  if (chance(2)) pod.label("tier", one_of({"1", "2"}));
  if (chance(5)) pod.select("disk", "ssd");
  if (chance(5)) pod.tolerate({"team", TolerationOp::kExists, "", {}});
  if (chance(8)) pod.terminating();
  for (int i = pick(3); i > 1; --i) pod.affinity(random_term());
  for (int i = pick(4); i > 2; --i) pod.anti_affinity(random_term());
  for (int i = pick(3); i > 0; --i) pod.prefer_near(1 + pick(9), random_term());
  for (int i = pick(2); i > 0; --i) pod.prefer_away(1 + pick(9), random_term());
  for (int i = pick(3); i > 0; --i) pod.spread(random_spread());
  return pod;
}

Namespace random_namespace(const std::string& name) {
  Namespace ns;
  ns.meta.name = name;
  if (chance(2)) ns.meta.labels.set("env", one_of({"prod", "test"}));
  return ns;
}

// A cluster with everything that is compared.
struct World {
  TestCluster cluster;
  NamespaceLabels namespaces;
  PodRelations relations{cluster.books, namespaces};
  InterPodAffinityFilter affinity{cluster.books, cluster.fits, relations};
  TopologySpreadFilter spread{cluster.books, cluster.fits, relations};
  InterPodAffinityScorer affinity_score{cluster.books, relations};
  TopologySpreadScorer spread_score{cluster.books, relations};
  NaiveRelations naive{cluster.books, namespaces};
  std::vector<PodId> pods;

  std::string refusal(NodeFilter& filter, NodeFilter::Prepared prepared, PodId pod, NodeId node) const {
    if (prepared.outcome == NodeFilter::Preparation::kSkip) return {};
    const auto status = filter.check(pod, node);
    return status.ok() ? "" : cluster.fits.text(status.reason);
  }
  std::vector<std::int64_t> scores(NodeScorer& scorer, PodId pod, const std::vector<NodeId>& nodes) const {
    std::vector<double> totals(nodes.size());
    scorer.add_scores(pod, nodes, 1, totals);
    return {totals.begin(), totals.end()};
  }
};

void random_step(World& world) {
  auto& books = world.cluster.books;
  const auto pod = world.pods[static_cast<std::size_t>(pick(static_cast<int>(world.pods.size())))];
  const auto node = NodeId(static_cast<std::size_t>(pick(static_cast<int>(books.node_count()))));
  switch (pick(16)) {
    case 0: return world.relations.begin_cycle(), world.naive.begin_cycle();
    case 1: return static_cast<void>(world.cluster.add(random_node(books.node(node).name)));
    case 2: return world.namespaces.set(random_namespace(one_of({"n1", "n2"})));
    case 3: books.set_terminating(pod, !books.pod(pod).terminating); return world.relations.counts.on_terminating_changed(pod);
    case 4: return world.pods.push_back(world.cluster.add(random_pod("late" + std::to_string(world.pods.size()))));
    default: books.pod(pod).present_on ? books.depart(pod) : books.arrive(pod, node);
  }
}

void compare(World& world, PodId pod) {
  const auto nodes = world.cluster.all_nodes();
  for (auto* filter : {static_cast<NodeFilter*>(&world.affinity), static_cast<NodeFilter*>(&world.spread)}) {
    const bool anything = filter->dependence(pod) != Dependence::kNothing;
    const auto prepared = filter->prepare(pod);
    Bitset kept(nodes.size(), true);
    if (prepared.outcome == NodeFilter::Preparation::kCheck) filter->restrict(pod, kept);
    for (const auto node : nodes) {
      const auto expected =
          filter == &world.affinity ? world.naive.affinity_refusal(pod, node) : world.naive.spread_refusal(pod, node);
      RC_ASSERT(world.refusal(*filter, prepared, pod, node) == expected);
      RC_ASSERT(kept.test(node.index()) == expected.empty());
      RC_ASSERT(anything || expected.empty());
    }
  }
  std::vector<NodeId> candidates;
  for (const auto node : nodes)
    if (!chance(4)) candidates.push_back(node);
  if (candidates.empty()) return;
  RC_ASSERT(world.scores(world.affinity_score, pod, candidates) == world.naive.affinity_scores(pod, candidates));
  if (world.spread_score.dependence(pod) != Dependence::kNothing)
    RC_ASSERT(world.scores(world.spread_score, pod, candidates) == world.naive.spread_scores(pod, candidates));
}

RC_GTEST_PROP(RelationsHistory, AgreesWithTheNaiveRulesAfterEveryStep, ()) {
  World world;
  const int nodes = 1 + pick(7);
  for (int i = 0; i < nodes; ++i) world.cluster.add(random_node("n" + std::to_string(i)));
  for (int i = 0; i < 12; ++i) world.pods.push_back(world.cluster.add(random_pod("p" + std::to_string(i))));
  const int steps = pick(60);
  for (int i = 0; i < steps; ++i) {
    random_step(world);
    if (chance(2)) compare(world, world.pods[static_cast<std::size_t>(pick(static_cast<int>(world.pods.size())))]);
  }
}

// Filters and scores made when pods are there already see the same as those that watched them come.
RC_GTEST_PROP(RelationsHistory, StartsFromWhatIsPresent, ()) {
  World world;
  for (int i = 0; i < 5; ++i) world.cluster.add(random_node("n" + std::to_string(i)));
  for (int i = 0; i < 12; ++i) world.pods.push_back(world.cluster.add(random_pod("p" + std::to_string(i))));
  for (int i = 0; i < 30; ++i) random_step(world);
  world.relations.begin_cycle();
  PodRelations fresh(world.cluster.books, world.namespaces);
  InterPodAffinityFilter affinity(world.cluster.books, world.cluster.fits, fresh);
  for (const auto pod : world.pods) {
    const auto before = world.affinity.prepare(pod);
    const auto after = affinity.prepare(pod);
    for (const auto node : world.cluster.all_nodes())
      RC_ASSERT(world.refusal(world.affinity, before, pod, node) == world.refusal(affinity, after, pod, node));
  }
}

}  // namespace
}  // namespace muster
