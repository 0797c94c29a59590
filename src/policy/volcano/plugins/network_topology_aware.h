#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>
#include <vector>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Keeps jobs within topology domains. It names the domains to try, narrow ones first, prefers domains that end up fullest, and
// within a domain nodes that are close to the job's other pods. Pods without a topology it packs into full domains, too, so that
// others stay free for those that need them.
class NetworkTopologyAware final : public Plugin {
 public:
  NetworkTopologyAware(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kBatchNodeOrder, Point::kHyperNodeOrder, Point::kHyperNodeGradient); }

  void open() override;

  Gradients gradients(const Job& job, HyperNodeId within, Purpose purpose) override;
  Gradients gradients(const Job& job, const SubJob& sub_job, HyperNodeId within, Purpose purpose) override;
  void add_hyper_node_order(const SubJob& sub_job, std::span<const HyperNodeId> domains, std::span<double> totals) override;

  Dependence order_dependence(PodId pod) const override;
  void add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;

  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;
  void on_eviction_undone(PodId pod) override { count_used(pod, +1); }

 private:
  // A gang's demand, as far as the choice of domains rests on it.
  struct Demand {
    std::int64_t highest_tier;
    HyperNodeId allocated;
    const Amounts& minimum;
  };
  struct Weight {
    ResourceId resource;
    std::int64_t value;
  };
  // Pods of a sub-job by the lowest domain that they are in.
  using TaskCounts = boost::unordered_flat_map<HyperNodeId, std::int64_t>;

  // What the fewest pods that make the sub-job ready ask for at least.
  Amounts least_of(const SubJob& sub_job) const;
  Gradients search(const Demand& demand, HyperNodeId within, Purpose purpose) const;
  HyperNodeId search_root(const Demand& demand, HyperNodeId within) const;
  bool eligible(const Demand& demand, HyperNodeId domain, Purpose purpose) const;
  void widest_first(Gradients& rows) const;

  const Weight* weight_of(ResourceId resource) const;
  // How full a domain would be with these requests, between 0 and 1; 0 if they are more than it has.
  double fullness(HyperNodeId domain, const Amounts& requests) const;
  double used(HyperNodeId domain, ResourceId resource) const;
  double closeness(HyperNodeId left, HyperNodeId right) const;
  double remembered_closeness(HyperNodeId domain, HyperNodeId to);
  void add_closeness(const SubJob& sub_job, std::span<const NodeId> nodes, std::span<double> totals);
  void add_packing(PodId pod, std::span<const NodeId> nodes, std::span<double> totals);
  SubJob* sub_job_of(PodId pod) const;
  const TaskCounts& tasks_by_domain(const SubJob& sub_job);
  void count_used(PodId pod, std::int64_t sign);
  void count_task(PodId pod, NodeId node, std::int64_t sign);

  std::vector<Weight> weights_;
  double scale_;
  bool packs_others_;
  double fading_;
  std::int64_t most_for_eviction_;

  // What changed in each domain since the cycle began.
  boost::unordered_flat_map<HyperNodeId, Amounts> used_since_;
  boost::unordered_flat_map<PodId, NodeId> placed_;  // pods that this cycle placed: they are told of after they lost their node
  boost::unordered_flat_map<const SubJob*, TaskCounts> task_counts_;
  std::vector<double> scores_;
  HyperNodeId close_to_;                     // for which the following is remembered
  IdVector<HyperNodeId, double> closeness_;  // negative: not asked yet
};

}  // namespace muster::volcano
