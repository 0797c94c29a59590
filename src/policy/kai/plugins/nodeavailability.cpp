#include "policy/kai/plugins/nodeavailability.h"

#include "policy/kai/session.h"

namespace muster::kai {

void NodeAvailability::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  constexpr double kAvailable = 1'000;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (session().fits_now(pod, nodes[i])) totals[i] += kAvailable;
}

}  // namespace muster::kai
