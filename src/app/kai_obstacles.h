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
  std::string impossible;              // what rules out every node; empty: nothing
  std::optional<ClosestNode> closest;  // of those that want nothing but resources
};

// Asks every node about a pod.
KaiObstacles kai_obstacles_to(kai::Session& session, PodId pod);

// Of a pod that is too large: what it asks for, and what the largest node has.
std::string too_much_text(const kai::Session& session, PodId pod);

}  // namespace muster
