#pragma once

#include <string>
#include <vector>

#include "app/config_dialect.h"
#include "model/objects.h"

namespace muster {

// The PodGroup that a pod names; empty: none.
std::string group_of(const Pod& pod, Dialect dialect);

// Why a scheduler of these names does not place a pod that names another one, or none, and what to set instead.
std::string placed_by_another(const Pod& pod, const std::vector<std::string>& ours);

// The PodGroup that the controllers beside the schedulers make for a pod that names none, called like the pod, which then names it:
// one member, in the queue that the pod asks for.
Object group_for_pod(Pod& pod, Dialect dialect);

}  // namespace muster
