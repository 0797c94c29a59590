#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "policy/volcano/numa/numa_books.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Keeps the CPUs of a pod on few NUMA nodes, as the kubelet of the node will try to. Concerns pods of guaranteed quality of
// service.
class NumaAware final : public Plugin {
 public:
  NumaAware(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kPredicate, Point::kBatchNodeOrder); }

  void open() override;
  void close() override;
  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  Dependence order_dependence(PodId pod) const override;
  void add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  std::uint64_t class_key(PodId pod) const override { return numa_ == nullptr ? 0 : numa_->key(pod); }
  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

 private:
  // The free CPUs of a node as this cycle has left them.
  const CpuSet& available(NodeId node) const;
  std::int64_t numa_nodes(PodId pod, NodeId node);
  void change(NodeId node);

  struct Assigned {
    NodeId node;
    CpuSet cpus;
  };
  struct Counted {
    std::uint32_t version = 0;  // of the node
    std::int64_t numa_nodes = 0;
  };

  std::int64_t weight_;
  NumaBooks* numa_ = nullptr;
  bool assigns_ = false;  // asked as a predicate: without that nothing is ever assigned
  boost::unordered_flat_map<NodeId, CpuSet> available_;
  boost::unordered_flat_map<NodeId, std::uint32_t> versions_;
  boost::unordered_flat_map<PodId, Assigned> assigned_;
  boost::unordered_flat_map<std::uint64_t, Counted> counted_;  // by key of the request and node
};

}  // namespace muster::volcano
