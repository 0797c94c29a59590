#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/devices/device_catalog.h"

namespace muster {

// How much of the API of devices counts. Only the core: claims that name alternatives or want administrative access cannot be met,
// taints do not keep anybody away, devices are never shared, and those that are parts of others or have to be prepared first do not
// exist.
enum class DeviceFeatures : std::uint8_t { kAll, kCore };

// A pool of devices as one node sees it.
struct DevicePool {
  std::string driver;
  std::string name;
  bool incomplete = false;                   // some of its slices have not arrived
  bool invalid = false;                      // its slices contradict each other
  std::vector<const SliceEntry*> here;       // slices whose devices the node can reach, by name
  std::vector<const SliceEntry*> elsewhere;  // the others; their devices use the same counters
  std::map<std::string, const CounterSet*, std::less<>> counters;
};

// The pools that a node can reach, ordered by driver and name; those with devices that have to be prepared first come last. Slices
// that a newer generation of their pool has replaced are left out.
std::vector<DevicePool> gather_pools(const DeviceCatalog& catalog, const NodeRecord& node,
                                     DeviceFeatures features = DeviceFeatures::kAll);

// Whether something is for this node.
bool reaches(const NodeReach& reach, const NodeRecord& node);

}  // namespace muster
