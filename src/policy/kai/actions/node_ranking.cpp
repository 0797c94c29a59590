#include "policy/kai/actions/node_ranking.h"

#include <algorithm>
#include <cmath>

namespace muster::kai {

NodeRanking::NodeRanking(Session& session, PodId pod, const NodeSet& nodes) {
  std::vector<double> totals(nodes.size(), 0);
  session.add_node_scores(pod, nodes, totals);
  heap_.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!std::isnan(totals[i])) heap_.push_back({totals[i], session.cluster().name_rank(nodes[i]), nodes[i]});
  std::make_heap(heap_.begin(), heap_.end());
}

NodeId NodeRanking::next() {
  if (heap_.empty()) return NodeId();
  std::pop_heap(heap_.begin(), heap_.end());
  const auto node = heap_.back().node;
  heap_.pop_back();
  return node;
}

}  // namespace muster::kai
