// Volcano's cluster when what it remembers may be wrong.

#include "daemon/placing_actions.h"
#include "daemon/volcano_cluster.h"

namespace muster::daemon {
std::string VolcanoCluster::broken_invariant() const {
  return scheduler_->cluster().books().check_sums() ? std::string() : "the sums of the books are not those of the pods in them";
}

void VolcanoCluster::set_evictions(Evictions evictions) {
  if ((evictions == Evictions::kStopped) == with_evictions_.has_value()) return;
  if (evictions == Evictions::kAllowed) return scheduler_->reconfigure(*std::exchange(with_evictions_, std::nullopt));
  with_evictions_ = scheduler_->config();
  scheduler_->reconfigure(placing_alone(*with_evictions_));
}

void VolcanoCluster::put_in_force(volcano::Config config) {
  if (!with_evictions_) return scheduler_->reconfigure(std::move(config));
  with_evictions_ = std::move(config);
  scheduler_->reconfigure(placing_alone(*with_evictions_));
}

}  // namespace muster::daemon
