#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/kai/fit_errors.h"
#include "policy/kai/plugin.h"

namespace muster::kai {

// What a node that has no room for a task lacks, as KAI's scheduler tells it, a reason for each resource. Nothing where it would
// have room right now and not later, or where only parts of shared GPUs are missing.
void tell_lacks(Session& session, PodId pod, NodeId node, FitTally& out);
// The same with amounts; of a task that is not alone in its job, without.
std::vector<std::string> lacks_in_detail(const Session& session, PodId pod, NodeId node);

// What nodes lack for tasks that ask for the same, remembered as long as the nodes do not change.
class NodeLacks {
 public:
  // Of those of the nodes that have no room for the task.
  void tally(Session& session, PodId pod, const NodeSet& nodes, FitTally& out);

 private:
  struct Set {
    FitTally tally;
    std::uint32_t nodes = 0;
  };
  void refresh(Session& session, PodId pod);
  void look_at(Session& session, PodId pod, NodeId node, std::uint32_t rank);
  std::uint32_t set_of(const FitTally& tally);

  bool built_ = false;
  std::uint64_t seen_ = 0;              // place in the change log
  std::vector<Set> sets_;               // the first: nothing
  std::vector<std::uint32_t> of_node_;  // by name rank
  std::vector<std::uint32_t> looked_;   // by name rank, in which refresh it was last looked at
  std::uint32_t refreshes_ = 0;
};

}  // namespace muster::kai
