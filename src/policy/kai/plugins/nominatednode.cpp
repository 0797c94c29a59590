#include "policy/kai/plugins/nominatednode.h"

#include "policy/kai/session.h"

namespace muster::kai {

void NominatedNode::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  constexpr double kNominated = 10'000'000;
  const auto& name = session().cluster().task(pod).nominated_node;
  if (name.empty()) return;
  const auto node = session().books().find_node(name);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i] == node) totals[i] += kNominated;
}

NodeScores NominatedNode::node_scores(PodId pod) {
  return session().cluster().task(pod).nominated_node.empty() ? NodeScores::kNone : NodeScores::kWhole;
}

}  // namespace muster::kai
