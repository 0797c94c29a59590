#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "engine/ids.h"
#include "policy/volcano/job.h"

namespace muster::volcano {

class Cluster;

// The original's twins. Replaying the plan of a gang eviction leaves it with two copies of every pod that the plan pipelined: one
// waits on its node, the other still counts as pending in its sub-job, and allocate places that one too. What the first one took up
// is then nobody's until the cycle ends.
class Twins {
 public:
  explicit Twins(Cluster& cluster) : cluster_(cluster) {}

  // For a pod that waits on its node.
  void make(PodId pod);
  // Whether the pod, which waits on its node, counts as pending too.
  bool has(PodId pod) const { return !pending_.empty() && pending_.contains(pod); }
  bool any() const { return !pending_.empty(); }

  // Before a pod is placed: one that waits elsewhere leaves behind what it held there. False: it is in its own way, because that is
  // on this node. The room is free then, and the pod pending.
  bool part(PodId pod, NodeId node) { return (pending_.empty() && remnants_.empty()) || part_from(pod, node); }

  // When the cycle ends.
  void forget();

 private:
  struct Remnant {
    PodId pod;
    NodeId node;
    ShapeId shape;
    bool holds_room = true;
    PodId shade;  // whom filters and scores see there; none: they did not see the pod
  };
  bool part_from(PodId pod, NodeId node);
  void leave_behind(PodId pod);

  Cluster& cluster_;
  boost::unordered_flat_map<PodId, LastTransaction> pending_;  // with what the copy that counts as pending remembers
  std::vector<Remnant> remnants_;
};

}  // namespace muster::volcano
