#include "policy/volcano/plugins/nodeorder.h"

#include <algorithm>

#include "policy/volcano/kube_rules.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

NodeOrder::NodeOrder(Session& session, const PluginOption& option) : Plugin(session) {
  auto& rules = session.cluster().kube_rules();
  const auto add = [&](std::vector<Weighted>& list, NodeScorer& scorer, std::string_view key, std::int64_t fallback) {
    if (const auto weight = option.arguments.get_int(key, fallback); weight != 0) list.push_back({&scorer, weight});
  };
  add(single_, rules.image_locality, "imagelocality.weight", 1);
  add(batch_, rules.least_allocated, "leastrequested.weight", 1);
  add(batch_, rules.most_allocated, "mostrequested.weight", 0);
  add(batch_, rules.balanced_allocation, "balancedresource.weight", 1);
  add(batch_, rules.node_affinity_score, "nodeaffinity.weight", 2);
  add(batch_, rules.inter_pod_affinity_score, "podaffinity.weight", 2);
  add(batch_, rules.taint_toleration_score, "tainttoleration.weight", 3);
  add(batch_, rules.topology_spread_score, "podtopologyspread.weight", 2);
}

Dependence NodeOrder::order_dependence(PodId pod) const {
  auto widest = Dependence::kNothing;
  for (const auto* list : {&single_, &batch_})
    for (const auto& [scorer, weight] : *list) widest = std::max(widest, scorer->dependence(pod));
  return widest;
}

void NodeOrder::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  for (const auto& [scorer, weight] : single_) scorer->add_scores(pod, nodes, weight, totals);
}

void NodeOrder::add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  for (const auto& [scorer, weight] : batch_) scorer->add_scores(pod, nodes, weight, totals);
}

}  // namespace muster::volcano
