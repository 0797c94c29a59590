#include "policy/kai/plugins/podaffinity.h"

#include "policy/kai/kube_rules.h"
#include "policy/kai/session.h"

namespace muster::kai {

void PodAffinity::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  constexpr double kPerPoint = 1'000'000;
  if (skipped_.contains(pod)) return;
  auto& rules = session().cluster().kube_rules();
  rules.relations.begin_cycle();
  if (rules.inter_pod_affinity_score.dependence(pod) == Dependence::kNothing) {
    skipped_.insert(pod);
    return;
  }
  rules.inter_pod_affinity_score.add_points(pod, nodes, kPerPoint, totals);
}

}  // namespace muster::kai
