#pragma once

#include <string>

#include "app/config_dialect.h"
#include "model/objects.h"

namespace muster {

// The PodGroup that a pod names; empty: none.
std::string group_of(const Pod& pod, Dialect dialect);

// The PodGroup that the controllers beside the schedulers make for a pod that names none, called like the pod, which then names it:
// one member, in the queue that the pod asks for.
Object group_for_pod(Pod& pod, Dialect dialect);

}  // namespace muster
