#pragma once

#include "policy/kai/cluster.h"

namespace muster::kai {

// GPUs of a node that are free or about to be, with the free parts of shared ones and what MIG instances stand for, and the memory
// of those in MiB.
struct GpuCapacity {
  double gpus = 0;
  std::int64_t memory = 0;
};
GpuCapacity idle_gpus(const Cluster& cluster, NodeId node);
GpuCapacity releasing_gpus(const Cluster& cluster, NodeId node);

}  // namespace muster::kai
