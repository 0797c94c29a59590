#include "engine/scores/topology_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "engine/scores/allocation.h"

namespace muster {
namespace {

// Of a number that is not negative. A call of std::round would cost more than all the rest.
std::int64_t round_half_up(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return number - static_cast<double>(whole) >= 0.5 ? whole + 1 : whole;
}

// The more domains there are to choose from, the more a pod in one of them weighs.
double weight_of(std::size_t choices) { return std::log(static_cast<double>(choices + 2)); }

double share_of(const SpreadPart& part, std::int64_t count, double weight) {
  return static_cast<double>(count) * weight + static_cast<double>(part.constraint->max_skew - 1);
}

}  // namespace

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
  collect(parts, nodes);
  for (const auto& part : parts) part.scope->key == hostname_ ? add_hosts(part) : add_domains(part);
  normalise(weight, totals);
  return true;
}

void TopologySpreadScorer::collect(const std::vector<SpreadPart>& parts, std::span<const NodeId> nodes) {
  candidates_.clear();
  candidates_.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) candidates_.push_back({nodes[i], static_cast<std::uint32_t>(i), 0});
  for (const auto& part : parts) {
    const auto& labelled = topology_.domains(part.scope->key).labelled;
    std::erase_if(candidates_, [&](const Candidate& candidate) { return !labelled.test(candidate.node.index()); });
  }
}

// Every host counts as a domain of its own, and what is on it counts even where the constraint leaves the host out.
void TopologySpreadScorer::add_hosts(const SpreadPart& part) {
  const auto weight = weight_of(candidates_.size());
  const auto* tally = plan_.tally(part);
  for (auto& candidate : candidates_)
    candidate.crowding += share_of(part, tally == nullptr ? 0 : tally->by_node().at(candidate.node), weight);
}

void TopologySpreadScorer::add_domains(const SpreadPart& part) {
  const auto& domain_of = topology_.domains(part.scope->key).of_node;
  shares_.assign(topology_.domains(part.scope->key).count(), 0);
  for (const auto& candidate : candidates_) shares_[domain_of[candidate.node].index()] = 1;
  const auto weight = weight_of(static_cast<std::size_t>(std::count(shares_.begin(), shares_.end(), 1)));
  plan_.sum_domains(part, sums_);
  for (std::size_t d = 0; d < sums_.size(); ++d) shares_[d] = share_of(part, sums_[d], weight);
  for (auto& candidate : candidates_) candidate.crowding += shares_[domain_of[candidate.node].index()];
}

void TopologySpreadScorer::normalise(std::int64_t weight, std::span<double> totals) {
  auto least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (const auto& candidate : candidates_) {
    const auto crowding = round_half_up(candidate.crowding);
    least = std::min(least, crowding);
    most = std::max(most, crowding);
  }
  for (const auto& candidate : candidates_) {
    const auto score = most == 0 ? kMaxScore : percentage(most + least - round_half_up(candidate.crowding), most);
    totals[candidate.place] += static_cast<double>(weight * score);
  }
}

}  // namespace muster
