#pragma once

#include <set>
#include <string>
#include <vector>

#include "daemon/shadow_moves.h"
#include "daemon/shadow_plan.h"

namespace muster::daemon::shadow {

// The nodes that a plan has for the pods of a PodGroup, or on which it evicts them, each as often as it does.
std::multiset<std::string> planned_nodes(MoveKind kind, const std::string& group, const Plan& plan, const State& state,
                                         const Subject& subject);

// Takes those moves out that the plan has too. Pods of one PodGroup may stand for each other: what counts is how many of them are
// on which node. A plan that has all of them, or some of them and nothing else for this PodGroup, has the same; otherwise none are
// taken.
void take_same(std::vector<Move>& moves, const Plan& plan, const State& state, const Subject& subject);

// Whether the moves and the plan differ only by nodes that nobody can tell apart, but for their names: the same amounts, labels,
// taints and pods, in the state that both began with.
bool is_tie(const std::vector<Move>& moves, const Plan& plan, const State& state, const Subject& subject);

// The state with all nodes closed but those that the moves are to.
State only_nodes_of(const std::vector<Move>& moves, const State& state);

}  // namespace muster::daemon::shadow
