#pragma once

#include "property/random_scenario.h"

namespace muster {

enum class DeviceKind { kGpuShare, kVgpu, kHamiNpu, kMindClusterNpu, kNuma };

// Nodes that have devices or CPUs of one kind, jobs that ask for them, and more of these between cycles. As with random_scenario(),
// only inside a property.
Scenario random_devices(DeviceKind kind);
Scenario random_devices();  // of any kind

}  // namespace muster
