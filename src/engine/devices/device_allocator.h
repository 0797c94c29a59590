#pragma once

#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/devices/device_catalog.h"
#include "engine/devices/device_pools.h"
#include "engine/devices/selector_answers.h"

namespace muster {

// How the search for devices on one node ended.
struct AllocationOutcome {
  enum class Kind : std::uint8_t {
    kFound,
    kNone,      // the claims cannot all be met here
    kBadPools,  // the same, and some pools could not be used because their slices contradict each other
    kError,     // something is wrong with a claim or a class
    kTooLong,   // the search was given up
  };
  Kind kind = Kind::kNone;
  std::vector<DeviceAllocation> allocations;  // by claim, when found
  std::string error;
};

// Steps after which a search is given up. Searches that get far there would not end in any useful time.
inline constexpr std::uint64_t kMaxAllocationSteps = 1'000'000;

// Finds devices for claims on a node, all of them or none. Claims, requests and devices are tried in their order, pools by driver
// and name, slices by name, and the first complete solution is taken, as in Kubernetes' allocator.
AllocationOutcome allocate_devices(const DeviceCatalog& catalog, SelectorAnswers& selectors, const NodeRecord& node,
                                   const std::vector<DevicePool>& pools, const std::vector<const ResourceClaim*>& claims,
                                   DeviceFeatures features = DeviceFeatures::kAll, std::uint64_t max_steps = kMaxAllocationSteps);

}  // namespace muster
