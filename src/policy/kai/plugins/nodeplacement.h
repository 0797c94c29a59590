#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Packs tasks on the fullest nodes or spreads them over the emptiest, by GPUs or, for tasks without, by cores.
class NodePlacement final : public Plugin {
 public:
  NodePlacement(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kNodeOrder); }
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  NodeScores node_scores(PodId pod) override;

 private:
  void pack(ResourceId resource, std::span<const NodeId> nodes, std::span<double> totals) const;
  void spread(ResourceId resource, std::span<const NodeId> nodes, std::span<double> totals) const;

  bool spreads_gpu_;
  bool spreads_cpu_;
};

}  // namespace muster::kai
