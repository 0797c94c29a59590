#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "policy/kai/actions/domain_capacity.h"
#include "policy/kai/actions/job_line.h"
#include "policy/kai/actions/scenario.h"

namespace muster::kai {

// Collects more and more tasks that could leave, in the order in which they would have to, until it is conceivable that their room
// suffices: enough GPUs on enough nodes and in enough domains, and nodes that the waiting tasks may go to at all.
class VictimAccumulator {
 public:
  VictimAccumulator(Session& session, const SearchTask& search);

  // Whether what was collected so far could do.
  bool is_conceivable() const;
  // Collects until it could do again; false: there is nobody left.
  bool advance();

  const std::vector<VictimBatch>& potential() const { return potential_; }
  const SearchTask& search() const { return search_; }
  // The GPUs that a node would have free.
  double capacity(NodeId node) const { return capacity_[node]; }
  static double gpus_of(const Session& session, PodId pod);

 private:
  bool add_next();
  void free_room(PodId pod);
  bool nodes_match() const;
  bool gpus_suffice() const;

  Session& session_;
  const SearchTask& search_;
  JobLine line_;
  std::deque<Job> clones_;
  boost::unordered_flat_set<PodId> recorded_;
  bool repeats_ = false;  // somebody is recorded twice: the original then gives up counting GPUs
  std::vector<VictimBatch> potential_;
  IdVector<NodeId, double> capacity_;
  DomainCapacity domains_;
  std::vector<double> needs_;           // of the waiting tasks, largest first
  double slot_ = 0;                     // what each of them needs, if all need the same; else 0
  double slots_ = 0;                    // how many of those the nodes have in all
  std::vector<PodId> choosy_;           // waiting tasks that name nodes
  IdVector<NodeId, char> is_feasible_;  // has room or would have
};

}  // namespace muster::kai
