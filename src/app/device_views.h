#pragma once

#include <vector>

#include "app/node_json.h"
#include "engine/devices/device_catalog.h"

namespace muster {

// The devices of a node that pods have by claims, called "driver/pool/device": all that no other node reaches, and of the others
// those that pods on the node have. Ordered by name. Looks at one node alone, but at every slice that is for several nodes.
std::vector<DeviceView> claimed_device_views(const Books& books, const DeviceCatalog& catalog, NodeId node);

}  // namespace muster
