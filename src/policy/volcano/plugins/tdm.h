#pragma once

#include <string>
#include <vector>

#include "policy/volcano/daily_hours.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Time-division multiplexing: nodes of a revocable zone may be used at certain hours, by pods that say so. When the hours are over,
// shuffle empties them; at other nodes, those who may not use zones push out those who may. Hours are in UTC.
class Tdm final : public Plugin {
 public:
  Tdm(Session& session, const PluginOption& option);
  Points points() const override {
    return Points(Point::kPredicate, Point::kNodeOrder, Point::kPreemptable, Point::kVictimTasks, Point::kJobOrder,
                  Point::kJobPipelined, Point::kJobStarving);
  }

  void open() override;

  double job_rank(const Job& job) override { return is_preemptable(job) ? 1 : 0; }
  Vote job_pipelined(const Job& job) override;
  bool job_starving(const Job& job) override;

  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  Dependence order_dependence(PodId pod) const override { return predicate_dependence(pod); }
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  std::uint64_t class_key(PodId pod) const override;

  Ballot preemptable(PodId preemptor, std::span<const PodId> candidates) override;
  std::vector<PodId> victim_tasks(std::span<const PodId> running) override;

 private:
  struct Zone {
    std::string name;
    bool configured = false;
    bool active = false;
    FitStatus refusal;  // of a zone that is not active
  };
  void add_zone(std::string name, const Value* hours);
  const Zone* zone_of(NodeId node) const;
  bool may_use_zones(PodId pod) const;
  static bool is_preemptable(const Job& job);
  // Of each job's candidates no more than its disruption budget allows, the first ones.
  std::vector<PodId> within_budgets(const std::vector<PodId>& candidates) const;
  std::int64_t budget_of(const Job& job) const;

  Arguments hours_;
  std::int64_t period_nanos_;
  std::vector<Zone> zones_;
  IdVector<NodeId, std::uint32_t> zone_of_;  // 1 + index into zones_, 0 for none; empty when no node has a zone
  std::uint64_t now_open_ = 0;               // stands for the set of zones that are active
  FitStatus not_for_zones_;
};

}  // namespace muster::volcano
