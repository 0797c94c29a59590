#pragma once

#include <vector>

#include "engine/books.h"
#include "engine/node_scorer.h"

namespace muster {

// Prefers nodes that satisfy more of the pod's preferred node affinity terms, by weight.
class NodeAffinityScorer : public NodeScorer {
 public:
  explicit NodeAffinityScorer(const Books& books) : books_(books) {}

  Dependence dependence(PodId pod) const override;
  bool add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) override;

 private:
  // What the terms of a shape give each node, as of a version of the nodes' facts.
  struct ShapePoints {
    std::uint64_t version = 0;
    std::vector<std::int64_t> by_node;
  };
  const std::vector<std::int64_t>& points_of(ShapeId shape);

  const Books& books_;
  IdVector<ShapeId, ShapePoints> shapes_;  // only shapes with preferred terms are filled
  std::vector<std::int64_t> points_;       // of the candidates at hand, used again
};

}  // namespace muster
