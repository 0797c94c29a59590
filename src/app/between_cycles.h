#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/volcano/scheduler.h"

namespace muster {

// What the cluster does between two cycles when there is no cluster: bound pods start to run or not, evicted pods linger or go.
enum class Between { kNothing, kBoundPodsRun, kBoundPodsRunEvictedLinger };
Result<Between> parse_between(std::string_view text);

class BetweenCycles {
 public:
  explicit BetweenCycles(Between mode) : mode_(mode) {}

  // Plays the cluster after a cycle that made these decisions.
  void play(volcano::Cluster& cluster, const Outbox& decisions);

 private:
  Between mode_;
  std::vector<PodId> lingering_;
};

}  // namespace muster
