#include "engine/scores/taint_toleration.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/filters/tolerance.h"
#include "engine/scores/normalise.h"

namespace muster {
namespace {

// How many taints of the list speak against the node for a pod with these tolerations.
std::int64_t count_minded(const std::vector<Toleration>& tolerations, const std::vector<Taint>& taints) {
  return std::count_if(taints.begin(), taints.end(),
                       [&](const Taint& taint) { return !repels(taint) && !accepts(tolerations, taint); });
}

}  // namespace

Dependence TaintTolerationScorer::dependence(PodId pod) const {
  const auto& all = taints_.lists();
  if (!all.discourage) return Dependence::kNode;
  const auto& tolerations = books_.shape_of(pod).tolerations;
  const bool minds =
      std::any_of(all.lists.begin(), all.lists.end(), [&](const auto& list) { return count_minded(tolerations, list) > 0; });
  return minds ? Dependence::kCandidates : Dependence::kNode;
}

bool TaintTolerationScorer::add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) {
  MUSTER_DCHECK(nodes.size() == totals.size());
  const auto& all = taints_.lists();
  if (!all.discourage) {
    for (auto& total : totals) total += static_cast<double>(weight * kMaxScore);
    return true;
  }
  minded_.clear();
  for (const auto& list : all.lists) minded_.push_back(count_minded(books_.shape_of(pod).tolerations, list));
  points_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) points_[i] = minded_[all.of_node[nodes[i]]];
  add_normalised(points_, Better::kFewer, weight, totals);
  return true;
}

}  // namespace muster
