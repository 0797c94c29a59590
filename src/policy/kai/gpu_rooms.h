#pragma once

#include "policy/kai/cluster.h"

namespace muster::kai {

// The GPUs that each node has idle or about to be freed, kept from question to question: only nodes that changed are looked at.
class GpuRooms {
 public:
  explicit GpuRooms(const Cluster& cluster) : cluster_(cluster) {}

  void refresh();
  // Idle and about to be freed together.
  double gpus(NodeId node) const { return gpus_[node]; }
  const IdVector<NodeId, double>& all() const { return gpus_; }
  // Whether there is any of either.
  bool any(NodeId node) const { return any_[node] != 0; }
  const std::vector<NodeId>& with_any() const { return with_any_; }  // by name

  // How often tasks that need as much go into a room, in whole numbers, and the sum of that over all nodes: remembered from the
  // first question on.
  using CountSlots = double (*)(double room, double need);
  double slots(double need, CountSlots count) const;

 private:
  void look_at(NodeId node);

  const Cluster& cluster_;
  bool built_ = false;
  std::uint64_t seen_ = 0;  // place in the change log
  IdVector<NodeId, double> gpus_;
  IdVector<NodeId, char> any_;
  std::vector<NodeId> with_any_;
  struct Slots {
    double need;
    CountSlots count;
    double sum;
  };
  mutable std::vector<Slots> slots_;  // that were asked for
};

}  // namespace muster::kai
