#pragma once

#include <string>

#include "daemon/share_names.h"
#include "engine/devices/device_catalog.h"

namespace muster::daemon {

// What a claim's status says of the devices that it is given, in JSON: the devices, what its classes and the claim itself tell
// the drivers that prepare them, and where they can be reached. The classes are those of the catalog.
std::string allocation_text(const DeviceCatalog& catalog, const ResourceClaim& claim, const DeviceAllocation& allocation,
                            ShareNames& shares);

}  // namespace muster::daemon
