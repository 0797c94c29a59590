#pragma once

#include "engine/books.h"
#include "engine/node_scorer.h"

namespace muster {

// Prefers nodes with the largest share of cpu and memory taken, to pack pods.
class MostAllocatedScorer : public NodeScorer {
 public:
  explicit MostAllocatedScorer(const Books& books) : books_(books) {}

  Dependence dependence(PodId) const override { return Dependence::kNode; }
  bool add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) override;

 private:
  const Books& books_;
};

}  // namespace muster
