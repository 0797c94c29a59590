#pragma once

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Higher priority first: jobs by their PodGroup's class, tasks by their pods', sub-jobs by their highest pod's.
class Priority final : public Plugin {
 public:
  explicit Priority(Session& session) : Plugin(session) {}
  Points points() const override {
    return Points(Point::kJobOrder, Point::kTaskOrder, Point::kPreemptable, Point::kGangEvictable, Point::kJobStarving,
                  Point::kSubJobOrder);
  }

  double job_rank(const Job& job) override { return -static_cast<double>(job.priority); }
  int compare_tasks(PodId left, PodId right) override;
  // Only who is less important may be pushed out: another job's pods by their job, the job's own by themselves.
  Ballot preemptable(PodId preemptor, std::span<const PodId> candidates) override;
  Ballot gang_evictable(const GangDemand& demand, std::span<const PodId> candidates) override;
  bool job_starving(const Job& job) override;
  int compare_sub_jobs(const SubJob& left, const SubJob& right) override;
};

}  // namespace muster::volcano
