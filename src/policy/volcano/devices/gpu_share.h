#pragma once

#include "policy/volcano/devices/device_settings.h"
#include "policy/volcano/devices/node_devices.h"

namespace muster::volcano {

// Plain GPU sharing: cards of equal memory, shared by memory, or handed out whole by number.
std::unique_ptr<DeviceFamily> make_gpu_share(const DeviceSettings& settings);

}  // namespace muster::volcano
