#pragma once

#include <span>
#include <vector>

#include "policy/volcano/job.h"

namespace muster::volcano {

class Session;

// What a job can lose before it stops being a complete gang: pods, pods of each role, pods and sub-jobs of each policy. It is made
// from the books as they are and then counts down, pod by pod, what it is told to take.
class GangSurplus {
 public:
  // kStrict: every sub-job that is complete stays so, and only pods that are there count. kOriginal (see Quirk::kUncountedRoles): a
  // sub-job that has lost one pod may lose them all, and pending pods that ask for nothing stand in for others.
  enum class Counting : std::uint8_t { kStrict, kOriginal };
  GangSurplus(const Session& session, const Job& job, Counting counting);

  // Fewer pods than the minimum: there is no gang to be kept complete.
  bool incomplete() const { return pods_ < 0; }
  // Takes the pod away if the gang stays complete without it.
  bool can_lose(PodId pod);
  // Takes all of a sub-job's pods away that are left of it, if enough others stay. Only when counting strictly.
  bool can_lose(const SubJob& sub_job, std::span<const PodId> pods);

 private:
  struct RoleLeft {
    SymbolId role;
    std::int64_t pods = 0;
  };
  struct SubJobLeft {
    std::int64_t pods = 0;
    bool complete = false;
  };
  void count_sub_jobs(Counting counting);
  RoleLeft* role_of(PodId pod);
  bool roles_can_lose(std::span<const PodId> pods);
  bool sub_job_can_lose(const SubJob& sub_job) const;

  const Session& session_;
  const Job& job_;
  bool strict_;
  std::int64_t pods_;
  std::vector<RoleLeft> roles_;
  std::vector<std::int64_t> groups_;  // complete sub-jobs beyond the minimum; empty: the job has no policies
  std::vector<SubJobLeft> sub_jobs_;
};

}  // namespace muster::volcano
