#pragma once

#include <boost/container/small_vector.hpp>

#include "engine/books.h"
#include "policy/kai/node_info.h"
#include "policy/kai/status.h"

namespace muster::kai {

using GpuGroups = boost::container::small_vector<SymbolId, 2>;

// The books of GPUs that pods share. A shared GPU leaves the node's idle ones when its first pod comes and returns when its last
// one has gone; while all that use it are leaving it counts as a whole GPU about to be freed.
class GpuSharing {
 public:
  // How it is known whether a group has a GPU of its own: by who is in it, or as the original does, by the sums of the node, in
  // which pods that wait for the node count, too, and which a plan that is taken back may leave another.
  enum class Count : std::uint8_t { kByGroup, kBySums };

  GpuSharing(Books& books, ResourceId gpu, Count count) : books_(books), gpu_(gpu), count_(count) {}

  // A pod with this request in this status comes to these groups of the node, or leaves them.
  void add(NodeId node, NodeInfo& info, const GpuRequest& request, const GpuGroups& groups, Status status);
  void remove(NodeId node, NodeInfo& info, const GpuRequest& request, const GpuGroups& groups, Status status);

  // Whether a group that is in use could take the request now or once others have left, or right now.
  static bool fits(const NodeInfo& info, const GpuGroup& group, const GpuRequest& request);
  static bool fits_now(const NodeInfo& info, const GpuGroup& group, const GpuRequest& request);
  static std::int64_t fitting_groups(const NodeInfo& info, const GpuRequest& request);
  // Whether so many whole GPUs, fewer than none where some are promised twice, and the groups are enough for the request.
  static bool suffices(const NodeInfo& info, const GpuRequest& request, std::int64_t whole);

  // Forgets the node's groups and gives back what they held.
  void clear(NodeId node, NodeInfo& info);

 private:
  // Memory of one pod comes to the group, or leaves it when it is less than nothing.
  void change(NodeId node, NodeInfo& info, std::int64_t memory, GpuGroup& group, Status status);
  void add_one(NodeId node, NodeInfo& info, std::int64_t memory, SymbolId id, Status status);
  void remove_one(NodeId node, NodeInfo& info, std::int64_t memory, GpuGroup& group, Status status);
  void take_idle(NodeId node, std::int64_t gpus);
  void count_releasing(NodeId node, NodeInfo& info, std::int64_t gpus);
  // How many GPUs are idle or in use, against how many there are.
  bool exceeds_count(NodeId node, const NodeInfo& info) const;

  Books& books_;
  ResourceId gpu_;
  Count count_;
};

}  // namespace muster::kai
