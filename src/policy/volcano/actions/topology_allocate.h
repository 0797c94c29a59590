#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <span>

#include "policy/volcano/actions/domain_foresight.h"

namespace muster::volcano {

// How allocate places jobs that want to be close together or have sub-jobs: it tries domain after domain, and within each the
// domains of the sub-jobs, and takes the best of the lowest tier in which the job finds room.
class TopologyAllocate {
 public:
  TopologyAllocate(Session& session, TaskPlacer& placer)
      : session_(session), placer_(placer), foresight_(session), clean_(session.undoes_cleanly()) {}

  // One attempt. What is left to place remains in the worksheet; none: no domain has room, and the worksheet is as before.
  std::optional<Statement> place(Job& job, JobWorksheet& worksheet);
  // The last attempt was decided: the job and its sub-jobs are in those domains now.
  void settle(Job& job);

 private:
  std::optional<Statement> place_in_first_row(Job& job, JobWorksheet& worksheet);
  bool can_do_with_fewer(const Job& job) const;
  std::optional<JobContest::Trial> try_job(Job& job, const JobWorksheet& worksheet, HyperNodeId domain);
  std::optional<TaskContest::Trial> try_tasks(Job& job, SubJob& sub_job, const TaskHeap& tasks, HyperNodeId domain);
  std::optional<TaskContest::Winner> place_sub_job(Job& job, SubJob& sub_job, TaskHeap& tasks, HyperNodeId within);
  std::optional<TaskContest::Winner> place_in_best(Job& job, SubJob& sub_job, TaskHeap& tasks, std::span<const HyperNodeId> row);
  void placed_in(Job& job, SubJob& sub_job, HyperNodeId within, HyperNodeId domain);

  // Where sub-jobs went when the job was tried in a domain.
  struct SubDecision {
    HyperNodeId within;
    SubJobId sub_job;
    HyperNodeId domain;
  };
  struct Decision {
    HyperNodeId domain;
    std::vector<SubDecision> sub_jobs;
  };

  Session& session_;
  TaskPlacer& placer_;
  DomainForesight foresight_;
  bool clean_;  // trials leave no trace in plugins
  Purpose purpose_ = Purpose::kAllocate;
  std::size_t placed_ = 0;       // tasks that found a place in the last trial of a sub-job
  std::size_t most_placed_ = 0;  // the most of these in the last trial of a job
  boost::unordered_flat_map<GroupId, Decision> decisions_;
};

}  // namespace muster::volcano
