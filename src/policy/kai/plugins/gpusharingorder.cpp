#include "policy/kai/plugins/gpusharingorder.h"

#include "policy/kai/session.h"

namespace muster::kai {

void GpuSharingOrder::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  constexpr double kSharable = 10'000;
  const auto& cluster = session().cluster();
  const auto& gpu = cluster.task(pod).gpu;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& info = cluster.node_info(nodes[i]);
    if (!info.groups.empty() && GpuSharing::fitting_groups(info, gpu) > 0) totals[i] += kSharable;
  }
}

}  // namespace muster::kai
