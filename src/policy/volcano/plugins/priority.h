#pragma once

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Higher priority first: jobs by their PodGroup's class, tasks by their pods'.
class Priority final : public Plugin {
 public:
  explicit Priority(Session& session) : Plugin(session) {}
  Points points() const override { return Points(Point::kJobOrder, Point::kTaskOrder); }

  double job_rank(const Job& job) override { return -static_cast<double>(job.priority); }
  int compare_tasks(PodId left, PodId right) override;
};

}  // namespace muster::volcano
