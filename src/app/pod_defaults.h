#pragma once

#include <string_view>

#include "model/objects.h"

namespace muster {

// Gives each container, init containers included, a request for every resource of which it has only a limit, as the API server does
// when a pod is created. Files written by hand lack those. Whether there was anything to give.
bool default_requests(Pod& pod);

// The scheduler that places the pod: the API server writes default-scheduler into one that names none.
std::string_view wanted_scheduler(const Pod& pod);

}  // namespace muster
