// KAI's cluster when what it remembers may be wrong.

#include <algorithm>

#include "daemon/kai_cluster.h"
#include "daemon/placing_actions.h"

namespace muster::daemon {
// A shared GPU that is about to be free is no pod's, so while there is one the sums cannot be derived from the pods.
std::string KaiCluster::broken_invariant() const {
  const auto& cluster = scheduler_->cluster();
  const auto is_shared_and_leaving = [&](NodeId node) { return cluster.node_info(node).shared_releasing != 0; };
  if (std::ranges::any_of(cluster.nodes_by_name(), is_shared_and_leaving)) return {};
  return cluster.books().check_sums() ? std::string() : "the sums of the books are not those of the pods in them";
}

void KaiCluster::set_evictions(Evictions evictions) {
  if ((evictions == Evictions::kStopped) == with_evictions_.has_value()) return;
  if (evictions == Evictions::kAllowed) return scheduler_->reconfigure(*std::exchange(with_evictions_, std::nullopt));
  with_evictions_ = scheduler_->config();
  scheduler_->reconfigure(allocating_alone(*with_evictions_));
}

void KaiCluster::put_in_force(kai::Config config) {
  if (!with_evictions_) return scheduler_->reconfigure(std::move(config));
  with_evictions_ = std::move(config);
  scheduler_->reconfigure(allocating_alone(*with_evictions_));
}

}  // namespace muster::daemon
