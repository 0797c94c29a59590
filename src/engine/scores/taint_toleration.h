#pragma once

#include <vector>

#include "engine/books.h"
#include "engine/filters/node_taints.h"
#include "engine/node_scorer.h"

namespace muster {

// Prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. While it minds none in the whole cluster, every
// node has the full score.
class TaintTolerationScorer : public NodeScorer {
 public:
  explicit TaintTolerationScorer(const Books& books) : books_(books), taints_(books) {}

  Dependence dependence(PodId pod) const override;
  bool add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) override;

 private:
  const Books& books_;
  NodeTaints taints_;
  std::vector<std::int64_t> minded_;  // by taint list, of the pod at hand
  std::vector<std::int64_t> points_;  // of the candidates at hand; both used again
};

}  // namespace muster
