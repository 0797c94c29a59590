#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>

#include "policy/volcano/actions/task_placer.h"

namespace muster::volcano {

// How allocate places jobs that want to be close together or have sub-jobs: it tries domain after domain, and within each the
// domains of the sub-jobs, and takes the best of the lowest tier in which the job finds room.
class TopologyAllocate {
 public:
  TopologyAllocate(Session& session, TaskPlacer& placer) : session_(session), placer_(placer) {}

  // One attempt. What is left to place remains in the worksheet; none: no domain has room, and the worksheet is as before.
  std::optional<Statement> place(Job& job, JobWorksheet& worksheet);
  // The last attempt was decided: the job and its sub-jobs are in those domains now.
  void settle(Job& job);

 private:
  // A job placed in a domain, tried out and undone.
  struct Solution {
    HyperNodeId domain;
    Statement::Plan plan;
    JobWorksheet rest;
    double score = 0;
  };
  // A sub-job placed in a domain, in effect.
  struct Placed {
    Statement statement;
    double score = 0;
  };
  std::optional<Solution> try_domain(Job& job, const JobWorksheet& worksheet, HyperNodeId domain);
  std::optional<Placed> place_sub_job(Job& job, JobWorksheet::Sheet& sheet, HyperNodeId within);
  std::optional<Placed> place_best(Job& job, JobWorksheet::Sheet& sheet, HyperNodeId within, const std::vector<HyperNodeId>& row);
  void placed_in(Job& job, SubJob& sub_job, HyperNodeId within, HyperNodeId domain);
  std::optional<Statement> replay(const Statement::Plan& plan);

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
  boost::unordered_flat_map<GroupId, Decision> decisions_;
};

}  // namespace muster::volcano
