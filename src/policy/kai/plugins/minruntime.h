#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Keeps jobs that have only just started from being evicted, for as long as their queue says: jobs that could not shrink are no
// victims at all, others must keep their minimum.
class MinRuntime final : public Plugin {
 public:
  MinRuntime(Session& session, const PluginOption& option);
  Points points() const override {
    return Points(Point::kReclaimVictim, Point::kPreemptVictim, Point::kReclaimScenario, Point::kPreemptScenario);
  }

  bool reclaim_victim(Job& reclaimer, const Job& victim) override;
  bool preempt_victim(Job& preemptor, const Job& victim) override;
  bool reclaim_scenario(const Scenario& scenario) override;
  bool preempt_scenario(const Scenario& scenario) override;

  // Whether a job has only just started, and so keeps at least its minimum.
  bool protects_from_reclaim(const Job& reclaimer, const Job& victim) const;
  bool protects_from_preempt(const Job& victim) const;
  // Until when; of those alone that are protected.
  Timestamp protected_until(const Job* reclaimer, const Job& victim) const;

 private:
  std::int64_t preempt_time(QueueId victim) const;
  std::int64_t reclaim_time(QueueId reclaimer, QueueId victim) const;
  bool started_within(const Job& job, std::int64_t time) const;
  template <class Protected>
  bool keeps_minimums(const Scenario& scenario, Protected is_protected) const;

  std::int64_t default_reclaim_;
  std::int64_t default_preempt_;
  bool by_queue_;
};

}  // namespace muster::kai
