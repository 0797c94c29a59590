#pragma once

#include "engine/books.h"
#include "policy/kai/claimed_devices.h"
#include "policy/kai/node_info.h"
#include "policy/kai/status.h"

namespace muster::kai {

// A physical GPU that several pods on a node have by their claims counts once: whoever comes to it after others, or goes before
// them, is charged nothing for it. The books charge every pod in full; this puts them right.
class DeviceRefs {
 public:
  DeviceRefs(Books& books, ResourceId gpu) : books_(books), gpu_(gpu) {}

  // A pod that takes `gpus` of the node's GPUs comes or leaves.
  void add(NodeId node, NodeInfo& info, const ClaimedDevices& devices, std::int64_t gpus, Status status);
  void remove(NodeId node, NodeInfo& info, const ClaimedDevices& devices, std::int64_t gpus, Status status);

  // How many of these devices pods on the node have already.
  static std::int64_t shared(const NodeInfo& info, const ClaimedDevices& devices);

 private:
  // So many GPUs less are charged to a pod in this status.
  void spare(NodeId node, NodeInfo& info, std::int64_t gpus, Status status);

  Books& books_;
  ResourceId gpu_;
};

}  // namespace muster::kai
