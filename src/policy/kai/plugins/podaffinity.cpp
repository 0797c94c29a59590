#include "policy/kai/plugins/podaffinity.h"

#include "policy/kai/kube_rules.h"
#include "policy/kai/session.h"

namespace muster::kai {

NodeScores PodAffinity::node_scores(PodId pod) {
  if (skipped_.contains(pod)) return NodeScores::kNone;
  auto& rules = session().cluster().kube_rules();
  rules.relations.begin_cycle();
  if (rules.inter_pod_affinity_score.dependence(pod) != Dependence::kNothing) return NodeScores::kWhole;
  skipped_.insert(pod);
  return NodeScores::kNone;
}

void PodAffinity::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  constexpr double kPerPoint = 1'000'000;
  if (node_scores(pod) == NodeScores::kNone) return;
  session().cluster().kube_rules().inter_pod_affinity_score.add_points(pod, nodes, kPerPoint, totals);
}

}  // namespace muster::kai
