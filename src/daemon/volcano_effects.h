#pragma once

#include "daemon/effects.h"
#include "policy/volcano/session.h"

namespace muster::daemon {

// What a closed session of Volcano's dialect wants done, as requests to the API server.
Effects volcano_effects(const volcano::Session& session);

}  // namespace muster::daemon
