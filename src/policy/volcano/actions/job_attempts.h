#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <optional>
#include <vector>

#include "policy/volcano/actions/task_placer.h"
#include "policy/volcano/actions/topology_allocate.h"

namespace muster::volcano {

// What jobs still have to place, and one attempt after the other to place it: as one gang, or sub-job by sub-job and in domains.
// An attempt that would fail again as it did in the last cycle is not repeated.
class JobAttempts {
 public:
  explicit JobAttempts(Session& session);

  // Notes down what the job has to place; false: nothing.
  bool take_in(Job& job);
  bool has_tasks(const Job& job);
  // The pods that it would need next in order to run, as many as it lacks; none when the attempt would fail as the last one did.
  std::vector<PodId> next_pods(const Job& job);

  // Places what comes next of the job; whether that is decided. A job that is only pipelined keeps what it was given for the rest
  // of the cycle, so that nobody takes it away, and nothing of it is decided.
  bool attempt(Job& job);
  // The same until every pod has its place that others had to go for, not those alone that the job needs in order to run.
  bool attempt_promised(Job& job);
  // From now on only these nodes are tried; none: all.
  void confine(const Bitset* nodes) { placer_.confine(nodes); }

 private:
  // The tasks of jobs that are one gang, best first. Only of those that have any.
  class Worksheets {
   public:
    explicit Worksheets(std::size_t jobs) : at_(jobs) {}
    bool has(GroupId job) const { return at_[job] != 0; }
    TaskHeap& of(GroupId job) { return sheets_[at_[job] - 1]; }
    TaskHeap& make(GroupId job, Session& session);
    void forget(GroupId job) { at_[job] = 0; }

   private:
    IdVector<GroupId, std::uint32_t> at_;  // one more than its place in sheets_; 0: none
    std::deque<TaskHeap> sheets_;
  };

  static bool is_divided(const Job& job);
  bool may_be_stuck(const Job& job) const;
  bool stays_stuck(const Job& job);
  void remember_stuck(Job& job, const TaskPlacer::Hopeless& hopeless);
  void fill_tasks(const Job& job);
  bool attempt_divided(Job& job);
  std::optional<Statement> place_tasks(Job& job, TaskHeap& tasks);
  bool decide(const Job& job, std::optional<Statement> statement);
  bool best_effort_can_follow(const Job& job);

  Session& session_;
  TaskPlacer placer_;
  TopologyAllocate topology_;
  bool fixed_order_;
  Worksheets tasks_;
  boost::unordered_flat_map<GroupId, JobWorksheet> divided_;
};

}  // namespace muster::volcano
