#pragma once

#include <vector>

#include "engine/devices/device_catalog.h"
#include "model/objects.h"

namespace muster {

// What a pod says about its claims, with those that were made for it from templates.
std::vector<PodClaim> device_claims_of(const Pod& pod);

}  // namespace muster
