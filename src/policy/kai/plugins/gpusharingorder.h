#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Nodes come first on which a GPU that is shared already could take the task. It is not asked whether the task shares GPUs: one
// without any is drawn to every GPU that is partly used.
class GpuSharingOrder final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kNodeOrder); }
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  NodeScores node_scores(PodId) override { return NodeScores::kNode; }
};

}  // namespace muster::kai
