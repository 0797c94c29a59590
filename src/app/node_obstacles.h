#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/near_names.h"
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

// Whether a node has enough for a pod once those have left who can.
enum class Freeing {
  kEnough,
  kTooSmall,    // it has too little even when it is empty
  kOwnPods,     // pods of the job itself hold the rest
  kWantedPods,  // the rest is held by pods of which one has to stay, or the required affinity does not hold
};

// The node on which least is missing, of those that refuse a pod for want of resources. Those that are too small come last.
struct ClosestNode {
  std::string name;
  Freeing freeing = Freeing::kEnough;
  std::vector<Shortage> shortages;  // the worst first
  Holders held_by;                  // of the worst
};

// The nodes that have an obstacle, and how many pods like the one they have resources for.
struct ObstacleCount {
  std::size_t nodes = 0;
  std::int64_t room = 0;

  void add(std::int64_t more_room) {
    ++nodes;
    room += more_room;
  }
};

// What keeps a pod from the nodes that are nearest to taking it: those with the fewest obstacles.
struct NodeObstacles {
  PodId pod;                 // none: no node was asked
  std::size_t together = 0;  // how many obstacles each of these nodes has; with more than one, all of one node are listed
  std::string node;          // that node, then
  using Counted = std::vector<std::pair<std::string, ObstacleCount>>;  // a thing, and where it is
  std::optional<ClosestNode> closest;
  Counted taints;                       // not tolerated, as "key=value:Effect"
  std::vector<std::string> cordoned;    // nodes
  std::int64_t room_on_cordoned = 0;    // for so many pods like the one
  bool unselected = false;              // the pod's node selector or affinity does not want them
  std::int64_t room_on_unselected = 0;  // on the one with most
  std::int64_t room_on_all_unselected = 0;
  std::vector<WantedLabel> labels;  // then: the pod's node selector
  Counted others;                   // what else the nodes say
  bool some_take = false;           // nodes have nothing against it, as long as others of its job are not placed
};

// Asks every node about a pending pod, after the last action of a cycle.
NodeObstacles obstacles_to(volcano::Session& session, PodId pod);

}  // namespace muster
