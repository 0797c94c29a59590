#pragma once

#include <vector>

#include "policy/kai/session.h"

namespace muster::kai {

// The tasks of a job that would leave next, together: one that its PodSet can do without, else a whole member that its set can do
// without, else all of them.
std::vector<PodId> eviction_unit(Session& session, const Job& job);

}  // namespace muster::kai
