#pragma once

#include <optional>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// A bound on waiting: jobs with an earlier deadline go first, and a job past its deadline is let in and may hold what it was
// promised.
class Sla final : public Plugin {
 public:
  Sla(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kJobOrder, Point::kJobEnqueueable, Point::kJobPipelined); }

  double job_rank(const Job& job) override;
  Vote job_enqueueable(const Job& job) override { return overdue(job) ? Vote::kPermit : Vote::kAbstain; }
  Vote job_pipelined(const Job& job) override { return overdue(job) ? Vote::kPermit : Vote::kAbstain; }

 private:
  std::optional<std::int64_t> waiting_time(const Job& job) const;
  std::optional<std::int64_t> deadline(const Job& job) const;
  bool overdue(const Job& job) const;

  std::optional<std::int64_t> default_waiting_;  // all times in microseconds
};

}  // namespace muster::volcano
