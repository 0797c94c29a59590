#pragma once

#include <cstdint>
#include <vector>

#include "engine/node_scorer.h"

namespace muster {

// What a scorer gives each node, with weight 1; nothing when it has nothing to say.
inline std::vector<std::int64_t> scores_of(NodeScorer& scorer, PodId pod, const std::vector<NodeId>& nodes) {
  std::vector<double> totals(nodes.size(), 0);
  if (!scorer.add_scores(pod, nodes, 1, totals)) return {};
  return {totals.begin(), totals.end()};
}

}  // namespace muster
