#pragma once

#include <string>

#include "daemon/effects.h"

namespace muster::daemon {

// What is told of a pod that a disruption budget keeps where it is, in the words of the server's answer, and for whom it was to go.
Event event_of_blocked(const Evict& evict, const std::string& answer);

}  // namespace muster::daemon
