#pragma once

#include <string>

#include "model/devices.h"

namespace muster {

// A text that is equal exactly for claims that ask for the same.
std::string spec_text(const ResourceClaim& claim);

}  // namespace muster
