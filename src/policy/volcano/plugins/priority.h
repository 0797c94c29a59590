#pragma once

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Higher priority first: jobs by their PodGroup's class, tasks by their pods', sub-jobs by their highest pod's.
class Priority final : public Plugin {
 public:
  explicit Priority(Session& session) : Plugin(session) {}
  Points points() const override { return Points(Point::kJobOrder, Point::kTaskOrder, Point::kSubJobOrder); }

  double job_rank(const Job& job) override { return -static_cast<double>(job.priority); }
  int compare_tasks(PodId left, PodId right) override;
  int compare_sub_jobs(const SubJob& left, const SubJob& right) override;
};

}  // namespace muster::volcano
