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

// The node on which least is missing, of those that refuse a pod for want of resources.
struct ClosestNode {
  std::string name;
  std::vector<Shortage> shortages;  // the worst first
  Holders held_by;                  // of the worst
};

// What keeps a pod from the nodes that are nearest to taking it: those with the fewest obstacles.
struct NodeObstacles {
  PodId pod;                 // none: no node was asked
  std::size_t together = 0;  // how many kinds of obstacle each of these nodes has; with more than one, all of one node are listed
  std::string node;          // that node, then
  using Counted = std::vector<std::pair<std::string, std::size_t>>;  // a thing, and on how many nodes
  std::optional<ClosestNode> closest;
  Counted taints;                     // not tolerated, as "key=value:Effect"
  std::vector<std::string> cordoned;  // nodes
  bool unselected = false;            // the pod's node selector or affinity does not want them
  Counted labels;                     // then: the pod's node selector, and how many nodes of the cluster have each label
  Counted others;                     // what else the nodes say
};

// Asks every node about a pending pod, after the last action of a cycle.
NodeObstacles obstacles_to(volcano::Session& session, PodId pod);

}  // namespace muster
