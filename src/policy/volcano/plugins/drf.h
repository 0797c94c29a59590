#pragma once

#include <deque>
#include <memory>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

class FairTree;

// Dominant resource fairness: the job whose largest share of any resource is smallest goes first. With hierarchy, queues are
// compared in a weighted tree in the same way.
class Drf final : public Plugin {
 public:
  Drf(Session& session, const PluginOption& option);
  ~Drf() override;
  Points points() const override;

  void open() override;
  double job_rank(const Job& job) override { return share_of_job(job.id); }
  int compare_queues(QueueId left, QueueId right) override;
  // Gives up pods of jobs that would still have at least as large a share as the preemptor's job would.
  Ballot preemptable(PodId preemptor, std::span<const PodId> candidates) override;
  // With hierarchy: gives up each pod whose queue would, without it, still come after the reclaimer's queue.
  Ballot reclaimable(PodId reclaimer, std::span<const PodId> candidates) override;
  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

  double share_of_job(GroupId job);

 private:
  // What pods of a job hold, as far as it differs from what the books say: pods that are only pipelined count here too.
  Amounts& changed(GroupId job, PodId pod, bool placed);
  void change(PodId pod, bool placed);
  double share(const Amounts& allocated) const;
  Amounts held_by(GroupId job) const;

  bool hierarchy_;
  std::vector<std::pair<ResourceId, double>> total_;  // dimensions that the cluster has anything of
  IdVector<GroupId, double> shares_;                  // negative: not computed yet, which most never are
  std::deque<Amounts> changed_;
  IdVector<GroupId, std::uint32_t> changed_at_;  // one more than its place in changed_; 0: none
  std::unique_ptr<FairTree> tree_;
};

}  // namespace muster::volcano
