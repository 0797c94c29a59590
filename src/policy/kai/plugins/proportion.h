#pragma once

#include <optional>
#include <vector>

#include "policy/kai/plugin.h"
#include "policy/kai/plugins/queue_share.h"

namespace muster::kai {

// Fair shares of queues: their order, their quotas and limits, and who may take back what from whom.
class Proportion final : public Plugin {
 public:
  Proportion(Session& session, const PluginOption& option);
  Points points() const override {
    return Points(Point::kQueueOrder, Point::kJobOverCapacity, Point::kNonPreemptibleOverQuota, Point::kTaskOverCapacity,
                  Point::kCanReclaim, Point::kReclaimVictim, Point::kReclaimScenario, Point::kJobSolutionStart, Point::kEvents);
  }

  void open() override;
  int compare_queues(const QueueSide& left, const QueueSide& right) override;
  std::optional<CapacityRefusal> job_over_capacity(const Job& job, std::span<const PodId> tasks) override;
  std::optional<CapacityRefusal> non_preemptible_over_quota(const Job& job, std::span<const PodId> tasks) override;
  std::optional<CapacityRefusal> task_over_capacity(const Job& job, PodId pod, NodeId node) override;
  CapacityNote tell_capacity(const Job& job, const CapacityRefusal& refusal) const override;
  void on_allocate(PodId pod) override { change_allocated(pod, +1); }
  void on_deallocate(PodId pod) override { change_allocated(pod, -1); }

  // ---- proportion_reclaim.cpp
  bool can_reclaim(Job& job) override;
  bool reclaim_victim(Job& reclaimer, const Job& victim) override;
  bool could_reclaim(Job& reclaimer, const Job& victim, const Quantities& less) override;
  bool reclaim_scenario(const Scenario& scenario) override;
  std::string tell_shares(QueueId queue) const override;
  void job_solution_start() override { at_start_ = shares_; }

 private:
  void sum_jobs();
  void divide_below(const std::vector<QueueId>& siblings, const Quantities& total);
  Quantities requested(std::span<const PodId> tasks) const;
  std::optional<CapacityRefusal> over_limit(const Job& job, const Quantities& requested) const;
  std::optional<CapacityRefusal> over_quota(const Job& job, const Quantities& requested) const;
  void change_allocated(PodId pod, double sign);

  // Where the ways from the root to two queues part, or the last common step of the shorter one.
  std::pair<QueueId, QueueId> levelled(QueueId reclaimer, QueueId victim) const;
  struct Remains;
  bool takes_fairly(const Scenario& scenario, const Quantities& request, Remains& remains) const;
  bool stays_within_bounds(const Job& reclaimer, const Quantities& request, Remains& remains) const;

  double k_;
  double saturation_;
  Quantities total_;
  IdVector<QueueId, QueueShare> shares_;
  IdVector<QueueId, QueueShare> at_start_;  // of the search for a job's room
};

}  // namespace muster::kai
