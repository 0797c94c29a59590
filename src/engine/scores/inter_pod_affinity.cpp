#include "engine/scores/inter_pod_affinity.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/scores/allocation.h"

namespace muster {

bool InterPodAffinityScorer::prefers(PodId pod) const {
  const auto terms = books_.pod(pod).terms;
  return terms && (!books_.terms(terms).preferred.empty() || !books_.terms(terms).anti_preferred.empty());
}

Dependence InterPodAffinityScorer::dependence(PodId pod) const {
  const auto& topology = relations_.topology;
  const auto& own = own_terms(pod);
  const auto& others = relations_.holders.about(books_.pod(pod).labels).weighing;
  const bool scores =
      std::any_of(
          own.begin(), own.end(),
          [&](const OwnTerm& term) { return relations_.counts.of(term.matcher, WhichPods::kAll).total(topology, term.key) > 0; }) ||
      std::any_of(others.begin(), others.end(), [&](auto* term) { return seen(*term, pod).total(topology, term->key) > 0; });
  return scores ? Dependence::kOthers : Dependence::kNothing;
}

bool InterPodAffinityScorer::add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) {
  MUSTER_DCHECK(nodes.size() == totals.size());
  if (nodes.empty() || dependence(pod) == Dependence::kNothing) return false;
  collect_points(pod);
  auto least = points_[nodes[0].index()], most = least;
  for (const auto node : nodes) {
    least = std::min(least, points_[node.index()]);
    most = std::max(most, points_[node.index()]);
  }
  if (most == least) return true;  // nobody stands out: all score 0
  const auto range = static_cast<double>(most - least);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto above = static_cast<double>(points_[nodes[i].index()] - least);
    totals[i] += static_cast<double>(weight * static_cast<std::int64_t>(static_cast<double>(kMaxScore) * (above / range)));
  }
  return true;
}

void InterPodAffinityScorer::add_points(PodId pod, std::span<const NodeId> nodes, double weight, std::span<double> totals) {
  collect_points(pod);
  for (std::size_t i = 0; i < nodes.size(); ++i) totals[i] += weight * static_cast<double>(points_[nodes[i].index()]);
}

void InterPodAffinityScorer::collect_points(PodId pod) {
  const auto& topology = relations_.topology;
  points_.assign(books_.node_count(), 0);
  for (const auto& term : own_terms(pod))
    relations_.counts.of(term.matcher, WhichPods::kAll).add_points(topology, term.key, term.weight, points_);
  for (auto* term : relations_.holders.about(books_.pod(pod).labels).weighing)
    seen(*term, pod).add_points(topology, term->key, term->weight, points_);
}

const InterPodAffinityScorer::OwnTerms& InterPodAffinityScorer::own_terms(PodId pod) const {
  static const OwnTerms kNone;
  const auto& record = books_.pod(pod);
  if (!prefers(pod)) return kNone;
  const auto key = (std::uint64_t{record.terms.index()} << 32) | record.ns.index();
  auto found = own_.find(key);
  if (found == own_.end()) found = own_.emplace(key, resolve(books_.terms(record.terms), books_.symbols().text(record.ns))).first;
  return found->second;
}

InterPodAffinityScorer::OwnTerms InterPodAffinityScorer::resolve(const PodTerms& terms, const std::string& ns) const {
  OwnTerms own;
  const auto add = [&](const WeightedPodAffinityTerm& weighted, std::int32_t sign) {
    own.push_back({relations_.matchers.intern({{PodClause::of(weighted.term, ns, PodClause::Side::kIncoming)}}),
                   relations_.topology.key(weighted.term.topology_key), sign * weighted.weight});
  };
  for (const auto& weighted : terms.preferred) add(weighted, +1);
  for (const auto& weighted : terms.anti_preferred) add(weighted, -1);
  return own;
}

}  // namespace muster
