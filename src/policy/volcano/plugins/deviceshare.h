#pragma once

#include "policy/volcano/plugin.h"

namespace muster::volcano {

class DeviceBooks;

// Asks the shared devices of the nodes: GPUs by memory or number, virtual GPUs, Ascend NPUs. Handing them out is part of placing a
// pod, which `predicates` does.
class DeviceShare final : public Plugin {
 public:
  DeviceShare(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kPredicate, Point::kNodeOrder, Point::kBatchNodeOrder); }

  void open() override;
  void close() override;
  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  Dependence order_dependence(PodId pod) const override;
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  void add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  std::uint64_t class_key(PodId pod) const override;

 private:
  std::int64_t weight_;
  DeviceBooks* devices_ = nullptr;
};

}  // namespace muster::volcano
