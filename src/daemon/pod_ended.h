#pragma once

#include "model/objects.h"

namespace muster::daemon {

// A pod that has ended counts for nobody and need not be known.
inline bool has_ended(const Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }

}  // namespace muster::daemon
