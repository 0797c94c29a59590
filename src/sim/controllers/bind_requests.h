#pragma once

#include "sim/controllers/workbench.h"

namespace muster::sim {

// Carries out a BindRequest of KAI as its binder does: gives the pod its node, and writes into the request how that went. Shares of
// GPUs, volumes and claims are taken as they are; nobody holds a place for them.
void reconcile_bind_request(Workbench& bench, const Object& request);

}  // namespace muster::sim
