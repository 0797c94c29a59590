#pragma once

#include "policy/volcano/devices/device_config.h"
#include "policy/volcano/devices/node_devices.h"

namespace muster::volcano {

// One kind of Ascend card as HAMi registers it: shared by memory in fixed templates, or by memory and cores. The configuration must
// outlive the family and what it makes. `core_sharing`: cards may be shared by cores where the node does not say otherwise.
std::unique_ptr<DeviceFamily> make_hami_npu(const NpuConfig& config, bool core_sharing);

}  // namespace muster::volcano
