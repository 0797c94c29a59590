#include "engine/scores/node_affinity.h"

#include "base/assert.h"
#include "engine/scores/normalise.h"

namespace muster {

Dependence NodeAffinityScorer::dependence(PodId pod) const {
  return books_.shape_of(pod).node_preferred.empty() ? Dependence::kNothing : Dependence::kCandidates;
}

const std::vector<std::int64_t>& NodeAffinityScorer::points_of(ShapeId shape) {
  if (shapes_.size() < books_.shape_count()) shapes_.resize(books_.shape_count());
  auto& [version, by_node] = shapes_[shape];
  if (version == books_.node_facts_version() && by_node.size() == books_.node_count()) return by_node;
  by_node.assign(books_.node_count(), 0);
  for (const auto node : IdRange<NodeId>(books_.node_count()))
    for (const auto& [weight, term] : books_.shape(shape).node_preferred)
      if (term.matches(books_.node(node).labels, books_.node(node).name)) by_node[node.index()] += weight;
  version = books_.node_facts_version();
  return by_node;
}

bool NodeAffinityScorer::add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) {
  MUSTER_DCHECK(nodes.size() == totals.size());
  if (dependence(pod) == Dependence::kNothing) return false;
  const auto& by_node = points_of(books_.pod(pod).shape);
  points_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) points_[i] = by_node[nodes[i].index()];
  add_normalised(points_, Better::kMore, weight, totals);
  return true;
}

}  // namespace muster
