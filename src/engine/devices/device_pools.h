#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/devices/device_catalog.h"

namespace muster {

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
std::vector<DevicePool> gather_pools(const DeviceCatalog& catalog, const NodeRecord& node);

// Whether something is for this node.
bool reaches(const NodeReach& reach, const NodeRecord& node);

}  // namespace muster
