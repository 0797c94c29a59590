#pragma once

#include "sim/tree.h"

namespace muster::sim {

// What the API server writes into Services, in a cluster that knows IPv4 alone: ports, policies, families of addresses. Addresses
// themselves they get none: nothing would answer there.
void default_service(Tree& service);

}  // namespace muster::sim
