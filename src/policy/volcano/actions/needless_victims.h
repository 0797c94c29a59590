#pragma once

#include <functional>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// The default behaviour's promise that nobody is evicted for nothing. In the behaviour of the original nothing here does anything.

// Pipelines a pod where it can run without anybody having to go, if there is such a node: the best of them but those excluded.
// pre_predicate() must have passed.
bool place_without_victims(Session& session, QueueId queue, PodId pod, Statement& statement, const Bitset* excluded = nullptr);

// Looks at the plan for a gang as a whole, of which each part places one pod and evicts on that pod's node alone: where the room
// that is made elsewhere is enough for a node's pods, they go there and everybody on the node stays. Pods of small nodes go first.
// Nothing is tried where a plugin would not forget it. False: a plugin did not take a pod back, so that the plan does not hold any
// more.
bool leave_needless_nodes(Session& session, QueueId queue, std::vector<Statement>& parts);
// The parts as one.
Statement joined(Session& session, std::vector<Statement> parts);

// Lets every victim of the statement stay without whom the pod for which they go would fit all the same, the one that was taken
// last first. The pod is not placed yet.
void spare_needless(Session& session, Statement& statement, const std::function<bool()>& fits);

// The same for the plan of a whole gang: every victim stays without whom all that the plan has placed could be placed all the same.
// `fits` is asked about pods as if they were not placed yet.
using FitsThere = std::function<bool(PodId, NodeId)>;
// Nothing is tried where a plugin would not forget it. False: a plugin did not take a pod back, so that the plan does not hold any
// more.
bool spare_needless_of_plan(Session& session, Statement& plan, const FitsThere& fits);

// Whether a plan that evicts nobody had better be forgotten, because an allocate that follows the rule in the same cycle binds at
// once what the plan would only promise, cycle after cycle.
bool leave_to_allocate(const Session& session, std::string_view rule, const Statement& plan);

}  // namespace muster::volcano
