#pragma once

#include <span>

#include "policy/kai/cluster.h"

namespace muster::kai {

// A job with only some of its tasks, as it stands now: it is ordered and asked for its next tasks like a job of its own. Changes of
// the tasks are counted in the real job alone.
Job clone_with(const Cluster& cluster, const Job& job, std::span<const PodId> tasks);

// The same with minimums lowered to what is there.
Job partial_job(const Cluster& cluster, const Job& job, std::span<const PodId> tasks);

}  // namespace muster::kai
