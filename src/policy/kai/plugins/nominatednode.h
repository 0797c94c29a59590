#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// The node that the pod's status names wins over all others.
class NominatedNode final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kNodeOrder); }
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  NodeScores node_scores(PodId pod) override;
};

}  // namespace muster::kai
