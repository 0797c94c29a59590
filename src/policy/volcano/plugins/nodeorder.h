#pragma once

#include <memory>
#include <vector>

#include "engine/node_scorer.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Kubernetes' own scores, each with a weight; weight 0 switches one off.
class NodeOrder final : public Plugin {
 public:
  NodeOrder(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kNodeOrder, Point::kBatchNodeOrder); }

  Dependence order_dependence(PodId pod) const override;
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  void add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;

 private:
  struct Weighted {
    NodeScorer* scorer;
    std::int64_t weight;
  };
  std::vector<Weighted> single_;  // asked node by node
  std::vector<Weighted> batch_;
};

}  // namespace muster::volcano
