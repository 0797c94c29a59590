#pragma once

#include <memory>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// All or nothing: a job's pods are decided together once its minimum can be met.
class Gang final : public Plugin {
 public:
  explicit Gang(Session& session);
  Points points() const override {
    return Points(Point::kJobValid, Point::kJobOrder, Point::kJobReady, Point::kJobPipelined, Point::kJobStarving,
                  Point::kPreemptable, Point::kReclaimable, Point::kGangEvictable, Point::kSubJobOrder, Point::kSubJobReady,
                  Point::kSubJobPipelined);
  }

  bool job_valid(const Job& job) override;
  double job_rank(const Job& job) override;
  bool job_ready(const Job& job) override;
  Vote job_pipelined(const Job& job) override;
  bool job_starving(const Job& job) override;
  // Gives up what jobs have beyond their minimum.
  bool protects() const override { return true; }
  // Whether the pod is of a gang. A job that needs one pod, whichever, is none: nothing is left of it that would hold nodes for
  // nothing.
  bool shields(PodId pod) const;
  Ballot preemptable(PodId, std::span<const PodId> candidates) override { return surplus(candidates); }
  Ballot reclaimable(PodId, std::span<const PodId> candidates) override { return surplus(candidates); }
  Ballot gang_evictable(const GangDemand&, std::span<const PodId> candidates) override {
    return {Vote::kPermit, {candidates.begin(), candidates.end()}};
  }
  int compare_sub_jobs(const SubJob& left, const SubJob& right) override;
  bool sub_job_ready(const SubJob& sub_job) override { return sub_job.is_ready(); }
  Vote sub_job_pipelined(const SubJob& sub_job) override;
  // Writes the conditions that tell users whether a job's gang is complete.
  void close() override;

 private:
  void close_job(Job& job);
  Ballot surplus(std::span<const PodId> candidates) const;
  Ballot surplus_pods(std::span<const PodId> candidates) const;

  std::shared_ptr<const Condition> ready_;  // the same for every job
};

}  // namespace muster::volcano
