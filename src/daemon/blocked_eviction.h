#pragma once

#include <string>

#include "daemon/effects.h"

namespace muster::daemon {

// What is told of a pod that the server does not evict, as for a disruption budget, in the words of its answer, and for whom it was
// to go.
Event event_of_blocked(const Evict& evict, const std::string& answer);

}  // namespace muster::daemon
