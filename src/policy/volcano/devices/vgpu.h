#pragma once

#include "policy/volcano/devices/device_config.h"
#include "policy/volcano/devices/device_settings.h"
#include "policy/volcano/devices/node_devices.h"

namespace muster::volcano {

// Virtual GPUs as HAMi's device plugin registers them: cards shared by memory and cores, or cut into hardware instances (MIG).
// The configuration must outlive the family and what it makes.
std::unique_ptr<DeviceFamily> make_vgpu(const DeviceSettings& settings, const VgpuConfig& config);

}  // namespace muster::volcano
