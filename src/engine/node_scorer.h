#pragma once

#include <cstdint>
#include <span>

#include "engine/ids.h"
#include "engine/node_filter.h"

namespace muster {

// Says how well a pod would sit on each node, as whole numbers from 0 to 100.
class NodeScorer {
 public:
  virtual ~NodeScorer() = default;

  virtual Dependence dependence(PodId pod) const = 0;

  // Adds weight x score of each node to its total. With Dependence::kCandidates or kOthers, `nodes` is the whole set of candidates,
  // over which scores are normalised. Returns false when the scorer has nothing to say about this pod (nothing was added).
  virtual bool add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) = 0;
};

}  // namespace muster
