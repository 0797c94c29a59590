#pragma once

#include <string>
#include <vector>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Prefers nodes that end up fullest in the resources that a pod asks for.
class Binpack final : public Plugin {
 public:
  Binpack(Session& session, const PluginOption& option);
  Points points() const override { return weight_ == 0 ? Points() : Points(Point::kNodeOrder); }

  Dependence order_dependence(PodId) const override { return Dependence::kNode; }
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;

 private:
  double weight_of(ResourceId resource) const;  // negative: not configured

  std::int64_t weight_;
  std::vector<std::pair<ResourceId, double>> weights_;
};

}  // namespace muster::volcano
