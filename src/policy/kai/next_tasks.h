#pragma once

#include <vector>

#include "policy/kai/job.h"
#include "policy/kai/quantities.h"

namespace muster::kai {

class Session;

// Whether tasks are placed for good, or only to see what would fit: then evicted ones count as waiting.
enum class Mode : std::uint8_t { kReal, kSimulation };

bool is_eligible(const Session& session, PodId pod, Mode mode);
bool has_eligible_tasks(const Session& session, const Job& job, Mode mode);

// The tasks of a job that are attempted together: what its parts lack to their minimums, or else one more. The job remembers them
// until one of its tasks changes, whatever the mode.
const std::vector<PodId>& next_tasks(Session& session, Job& job, Mode mode);

// What they ask for; GPU memory counts as parts of the smallest GPU of the cluster.
const Quantities& next_request(Session& session, Job& job, Mode mode);

}  // namespace muster::kai
