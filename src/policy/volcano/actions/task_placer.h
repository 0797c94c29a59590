#pragma once

#include <optional>

#include "policy/volcano/actions/node_attempt.h"
#include "policy/volcano/actions/worksheet.h"

namespace muster::volcano {

// Places tasks of a job or sub-job one after the other until it is ready: what allocate does for every job, with or without a
// topology.
class TaskPlacer {
 public:
  explicit TaskPlacer(Session& session);

  // The very first task of the attempt found no node, and that ended it.
  struct Hopeless {
    PodId pod;
    NodeAttempt::Outcome outcome;
  };
  struct Result {
    std::optional<Statement> statement;  // none: it did not become ready, nor would it when others have gone, and all is undone
    std::size_t placed = 0;              // so many tasks found a place, undone or not
    std::optional<Hopeless> hopeless;
  };
  // Takes tasks off the heap until the sub-job (none: the job) is ready, trying the nodes of one domain.
  Result place(Job& job, SubJob* sub_job, TaskHeap& tasks, HyperNodeId domain);
  // Places all tasks where an eviction made room for them, within the nominated domain. None: not all of them still find it free;
  // the nomination and the nodes that it named are then forgotten.
  std::optional<Statement> place_nominated(Job& job, SubJob* sub_job, TaskHeap& tasks);

  // An attempt within one domain. The next one ends it.
  NodeAttempt attempt(const Bitset* domain = nullptr);
  // From now on only these nodes are tried; none: all.
  void confine(const Bitset* nodes) { confined_ = nodes; }

 private:
  NodeAttempt::Outcome search(NodeAttempt& attempt, PodId pod, HyperNodeId domain);
  bool role_failed(Job& job, const SubJob* sub_job, PodId pod);
  static void note_failure(Session& session, Job& job, const SubJob* sub_job, PodId pod, std::shared_ptr<FitErrors> errors);
  bool worth_going_on(const Job& job, const SubJob* sub_job) const;
  std::optional<std::vector<NodeId>> nominated_nodes(Job& job, TaskHeap tasks, HyperNodeId domain);
  bool place_on(Statement& statement, PodId pod, NodeId node);

  Session& session_;
  NodeAttempt::Errors errors_;
  const Bitset* confined_ = nullptr;
  Bitset confined_domain_;
};

// On what a search found, as far as it found it free now or later.
bool place(Statement& statement, PodId pod, const NodeSearch::Choice& choice);

}  // namespace muster::volcano
