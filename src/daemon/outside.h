#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/kai_usage_follower.h"
#include "daemon/uuid.h"
#include "policy/volcano/extender_client.h"

namespace muster::daemon {

// Whom the clusters of the dialects ask in the middle of a decision. Besides what a LiveCluster is told this is all that they know
// of the world, so whoever records or replays takes the place of these. What is empty is asked as it always is.
struct Outside {
  std::function<std::shared_ptr<volcano::ExtenderClient>()> extender;
  MakeKaiUsage usage;
  std::string gpu_groups;  // how names begin that the process gives: of shared GPUs, and of shares of devices

  std::string own_names() const { return gpu_groups.empty() ? uuid_beginning(kube::system_random()) : gpu_groups; }
};

}  // namespace muster::daemon
