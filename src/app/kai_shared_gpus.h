#pragma once

#include <cstdint>
#include <functional>

#include "policy/kai/cluster.h"

namespace muster {

// What pods use of a node's GPUs that they share with others, all parts together, in thousandths of a GPU; of other resources
// nothing. The books have such GPUs put aside, used by no single pod. The cluster must outlive the answer.
std::function<std::int64_t(NodeId, ResourceId)> shared_gpus_used(const kai::Cluster& cluster);

}  // namespace muster
