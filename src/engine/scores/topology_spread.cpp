#include "engine/scores/topology_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "engine/scores/allocation.h"

namespace muster {

TopologySpreadScorer::TopologySpreadScorer(const Books& books, PodRelations& relations)
    : topology_(relations.topology),
      plan_(books, relations, SpreadAction::kScheduleAnyway),
      hostname_(relations.topology.key("kubernetes.io/hostname")) {}

Dependence TopologySpreadScorer::dependence(PodId pod) const {
  return plan_.concerns(pod) ? Dependence::kOthers : Dependence::kNothing;
}

bool TopologySpreadScorer::add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) {
  MUSTER_DCHECK(nodes.size() == totals.size());
  const auto& parts = plan_.parts(pod);
  if (parts.empty()) return false;
  find_ignored(parts, nodes);
  crowding_.assign(nodes.size(), 0);
  for (const auto& part : parts) add_part(part, nodes);
  normalise(weight, totals);
  return true;
}

void TopologySpreadScorer::find_ignored(const std::vector<SpreadPart>& parts, std::span<const NodeId> nodes) {
  ignored_.assign(nodes.size(), 0);
  for (const auto& part : parts) {
    const auto& domains = topology_.domains(part.scope->key);
    for (std::size_t i = 0; i < nodes.size(); ++i) ignored_[i] |= static_cast<char>(!domains.of_node[nodes[i]]);
  }
  ignored_count_ = static_cast<std::size_t>(std::count(ignored_.begin(), ignored_.end(), 1));
}

// The more domains there are to choose from, the more a pod in one of them weighs. Every host counts as a domain of its own, and
// what is on it counts even where the constraint leaves the host out.
void TopologySpreadScorer::add_part(const SpreadPart& part, std::span<const NodeId> nodes) {
  const auto& domains = topology_.domains(part.scope->key);
  const bool by_host = part.scope->key == hostname_;
  auto choices = nodes.size() - ignored_count_;
  if (!by_host) {
    plan_.sum_domains(part, sums_);
    met_.assign(domains.count(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!ignored_[i]) met_[domains.of_node[nodes[i]].index()] = 1;
    choices = static_cast<std::size_t>(std::count(met_.begin(), met_.end(), 1));
  }
  const double weight = std::log(static_cast<double>(choices + 2));
  const double slack = static_cast<double>(part.constraint->max_skew - 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (ignored_[i]) continue;
    const auto count = by_host ? plan_.count_on(part, nodes[i]) : sums_[domains.of_node[nodes[i]].index()];
    crowding_[i] += static_cast<double>(count) * weight + slack;
  }
}

void TopologySpreadScorer::normalise(std::int64_t weight, std::span<double> totals) const {
  auto least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  const auto crowding = [&](std::size_t i) { return static_cast<std::int64_t>(std::round(crowding_[i])); };
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (ignored_[i]) continue;
    least = std::min(least, crowding(i));
    most = std::max(most, crowding(i));
  }
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (ignored_[i]) continue;
    const auto score = most == 0 ? kMaxScore : kMaxScore * (most + least - crowding(i)) / most;
    totals[i] += static_cast<double>(weight * score);
  }
}

}  // namespace muster
