#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/volcano/scheduler.h"

namespace muster {

// What the cluster does between two cycles when there is no cluster: bound pods start to run or not, evicted pods linger, go, or
// are made anew and wait, which only KAI's dialect plays.
enum class Between { kNothing, kBoundPodsRun, kBoundPodsRunEvictedLinger, kRecreate };
Result<Between> parse_between(std::string_view text);

// Whether an eviction uses up disruption budgets, as a cluster's controller sees to, or they stay as they were given. Where they
// are spent the cluster lives: pods that were leaving at the start go as well.
enum class Budgets { kAsGiven, kSpent };

class BetweenCycles {
 public:
  explicit BetweenCycles(Between mode, Budgets budgets = Budgets::kAsGiven) : mode_(mode), budgets_(budgets) {}

  // Plays the cluster after a cycle that made these decisions.
  void play(volcano::Cluster& cluster, const Outbox& decisions);

 private:
  Between mode_;
  Budgets budgets_;
  bool begun_ = false;
  std::vector<PodId> lingering_;
};

}  // namespace muster
