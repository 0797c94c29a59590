#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// Whom to evict on which node.
struct Preemption {
  NodeId node;
  std::vector<PodId> victims;
};

// Tries out on each node whom a pod would have to push out, lets everybody stay who may, and chooses the node where that hurts
// least: the least important victims, then the fewest, then the youngest. Nothing is changed. Looks at nodes in order until the
// arguments' number of candidates is found.
std::optional<Preemption> cheapest_preemption(Session& session, const Arguments& arguments, const Job& job, PodId pod,
                                              std::span<const NodeId> nodes, const std::function<bool(PodId)>& filter);

}  // namespace muster::volcano
