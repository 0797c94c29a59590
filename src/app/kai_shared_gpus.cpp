#include "app/kai_shared_gpus.h"

#include <cmath>

namespace muster {

std::function<std::int64_t(NodeId, ResourceId)> shared_gpus_used(const kai::Cluster& cluster) {
  return [&cluster](NodeId node, ResourceId resource) -> std::int64_t {
    const auto& info = cluster.node_info(node);
    if (resource != cluster.gpu() || info.gpu_memory <= 0) return 0;
    std::int64_t memory = 0;
    for (const auto& group : info.groups) memory += group.allocated;
    return std::llround(static_cast<double>(memory) / static_cast<double>(info.gpu_memory) * static_cast<double>(kai::kWholeGpu));
  };
}

}  // namespace muster
