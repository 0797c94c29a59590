#pragma once

#include "app/job_outlook.h"
#include "app/node_obstacles.h"
#include "policy/kai/session.h"

namespace muster {

// What nodes say to a pod that has none, after the actions of a cycle.
struct KaiObstacles {
  NodeRefusals refusals;
  std::size_t takers = 0;              // nodes that would take it
  bool too_large = false;              // no node has enough of everything, even an empty one
  std::string impossible;              // what rules out every node, so that none is told of; empty: nothing
  std::optional<ClosestNode> closest;  // of those that want nothing but resources
  bool may_come = false;               // some node would take it if others left it, or may do so one day
};

// Asks every node about a pod.
KaiObstacles kai_obstacles_to(kai::Session& session, PodId pod);

// How many pods of one shape a node takes when it is empty.
std::int64_t most_on_empty(const kai::Session& session, const PodShape& shape, NodeId node);

// Of a pod that is too large: what it asks for, and what the largest node has, as people write it.
struct TooMuch {
  std::string resource;
  double asked = 0;
  double largest = 0;
};
// Nothing where each resource alone would be found somewhere.
std::optional<TooMuch> too_much(const kai::Session& session, PodId pod);
std::string too_much_text(const kai::Session& session, PodId pod);

}  // namespace muster
