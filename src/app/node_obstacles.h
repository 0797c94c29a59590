#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/volcano/session.h"

namespace muster {

// A resource of which a node has too little left for a pod, in the dialect's units.
struct Shortage {
  std::string resource;
  double asked = 0;
  double free = 0;
};

// Who holds how much of a resource; the largest first.
using Holders = std::vector<std::pair<std::string, double>>;

// The node on which least is missing, of those that refuse a pod for want of resources alone.
struct ClosestNode {
  std::string name;
  std::vector<Shortage> shortages;  // the worst first
  Holders held_by;                  // of the worst
};

// What keeps a pod from the nodes that refuse it.
struct NodeObstacles {
  std::optional<ClosestNode> closest;
  std::vector<std::pair<std::string, std::size_t>> taints;  // not tolerated, as "key=value:Effect", and how many nodes have each
  std::vector<std::string> cordoned;                        // nodes
  std::vector<std::pair<std::string, std::size_t>> labels;  // the pod's node selector, and how many nodes have each label
};

// Asks every node about a pending pod, after the last action of a cycle.
NodeObstacles obstacles_to(volcano::Session& session, PodId pod);

}  // namespace muster
