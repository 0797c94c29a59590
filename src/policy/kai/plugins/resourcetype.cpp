#include "policy/kai/plugins/resourcetype.h"

#include "policy/kai/session.h"

namespace muster::kai {

void ResourceType::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  constexpr double kSuits = 10;
  const auto& cluster = session().cluster();
  if (cluster.task(pod).gpu.any()) return;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (cluster.node_info(nodes[i]).cpu_only) totals[i] += kSuits;
}

NodeScores ResourceType::node_scores(PodId pod) {
  return session().cluster().task(pod).gpu.any() ? NodeScores::kNone : NodeScores::kNode;
}

}  // namespace muster::kai
