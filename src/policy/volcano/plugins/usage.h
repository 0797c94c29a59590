#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>

#include "policy/volcano/node_usage.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Prefers nodes with little real load, and refuses those above a threshold. Measurements lag behind, so scores add an estimate of
// what pods use that were placed too recently to be measured; thresholds look at the measured load alone. Nodes whose last
// measurement is missing or old are neither refused nor scored.
class Usage final : public Plugin {
 public:
  Usage(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kPredicate, Point::kNodeOrder); }

  void open() override;

  // Measurements change between cycles without a change of the node, so answers are never remembered.
  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  void restrict_by_others(PodId pod, Bitset& nodes) const override;
  Dependence order_dependence(PodId pod) const override;
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;

  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

 private:
  // Cpu in thousandths and memory in bytes, or both as parts of the node's capacity.
  struct Load {
    double cpu = 0;
    double memory = 0;
  };
  struct Estimate {
    NodeId node;
    Load load;
  };

  void read_estimator(const Arguments& arguments);
  const NodeUsage* fresh_usage(NodeId node) const;
  const FitStatus* refusal(NodeId node) const;

  void estimate_unmeasured();
  bool is_unmeasured(PodId pod) const;
  Load estimate(PodId pod, double risk) const;
  double risk_on(NodeId node) const;
  Load utilization(NodeId node) const;
  void add_estimate(PodId pod, NodeId node);
  void drop_estimate(PodId pod);

  double weight_;
  double cpu_weight_;
  double memory_weight_;
  double cpu_threshold_;
  double memory_threshold_;
  double request_ratio_ = 0.7;
  double burst_ratio_ = 0;
  double risk_threshold_ = 0.6;
  double risk_factor_ = 1.2;
  Load best_effort_{250, 200.0 * 1024 * 1024};
  std::int64_t window_nanos_;
  FitStatus cpu_refusal_, memory_refusal_;

  bool any_fresh_ = false;
  bool any_refused_ = false;
  Bitset refused_;
  bool estimated_ = false;
  IdVector<NodeId, Load> unmeasured_;
  boost::unordered_flat_map<PodId, Estimate, std::hash<PodId>> estimates_;
};

}  // namespace muster::volcano
