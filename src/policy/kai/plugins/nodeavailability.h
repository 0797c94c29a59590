#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Nodes that have room right now come before those where others have to leave first.
class NodeAvailability final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kNodeOrder); }
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  NodeScores node_scores(PodId) override { return NodeScores::kNode; }
};

}  // namespace muster::kai
