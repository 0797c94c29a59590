#pragma once

#include <optional>
#include <span>

#include "policy/volcano/actions/domain_contest.h"
#include "policy/volcano/actions/task_placer.h"

namespace muster::volcano {

using JobContest = DomainContest<JobWorksheet>;
using TaskContest = DomainContest<TaskHeap>;

// What can be told of domains before anything is tried in them: how good they would be, because scores rest on sums alone, and how
// many tasks find a place at most. Only if trials that are then left out would not be missed: no plugin keeps a trace of them, and
// which tasks a domain places, once it passes, does not depend on the domain. The plain way (--search reference) tells nothing.
class DomainForesight {
 public:
  explicit DomainForesight(Session& session)
      : session_(session), clean_(session.undoes_cleanly()), looks_ahead_(clean_ && session.looks_ahead()) {}

  // Tells the contest what is known. True: trials need not be rated, the contest knows their scores.
  void tell(JobContest& contest, const Job& job, const JobWorksheet& worksheet, std::span<const HyperNodeId> row);
  bool tell(TaskContest& contest, const Job& job, const SubJob& sub_job, const TaskHeap& tasks, std::span<const HyperNodeId> row);

 private:
  struct Demand {
    const std::vector<PodId>& tasks;
    std::size_t needed = 0;  // so many of them have to find a place
    bool alike = false;      // nothing tells them apart
    Bitset feasible;         // if they are alike: nodes that would take one
  };
  std::optional<Demand> demand_of(const Job& job, const SubJob& sub_job, const TaskHeap& tasks);
  bool alike(std::span<const PodId> pods) const;
  std::size_t room_for(const Demand& demand, HyperNodeId domain) const;
  bool sums_suffice(const Demand& demand, HyperNodeId domain) const;
  double best_score_within(const Job& job, const SubJob& sub_job, HyperNodeId domain);

  Session& session_;
  bool clean_;        // trials leave no trace in plugins
  bool looks_ahead_;  // and those whose outcome can be told are left out
};

}  // namespace muster::volcano
