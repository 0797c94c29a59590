#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/job_outlook.h"
#include "app/node_obstacles.h"
#include "policy/kai/session.h"

namespace muster {

// Of the nodes that are large enough and that nobody's leaving opens, those that are nearest to taking a pod: that it selects, then
// that would take it at once if they were opened, then with the fewest bars.
struct ClosedNodes {
  std::size_t together = 0;  // how many bars each has; 0: there is no such node; with more than one, all of one node are told
  std::string node;          // that node, then
  bool at_once = true;       // false: others have to leave as well, or something is wrong with the nodes
  bool unselected = false;
  std::map<std::string, std::size_t> taints;  // not tolerated, and on how many nodes
  std::vector<std::string> cordoned;
};

// What nodes say to a pod that has none, after the actions of a cycle.
struct KaiObstacles {
  NodeRefusals refusals;
  std::size_t takers = 0;              // nodes that would take it
  bool only_room = true;               // nodes refuse it for want of room alone
  bool too_large = false;              // no node has enough of everything, even an empty one
  std::string impossible;              // what rules out every node, so that none is told of; empty: nothing
  std::optional<ClosestNode> closest;  // of those that want nothing but resources
  bool may_come = false;               // some node would take it if others left it, or may do so one day
  ClosedNodes closed;
};

// Asks every node about a pod.
KaiObstacles kai_obstacles_to(kai::Session& session, PodId pod);

// What a pod holds of a resource on its node, as amounts are stored; nothing where it leaves. Of GPUs that are shared its part
// counts.
std::int64_t kai_held_by(const kai::Session& session, PodId pod, ResourceId resource);

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
