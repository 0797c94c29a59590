#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/devices/device_catalog.h"
#include "model/objects.h"

namespace muster::kai {

// A container's request for a resource that might stand for devices.
struct ExtendedAsk {
  std::string resource;
  std::uint32_t container = 0;  // its place among the init containers and then the others
  std::uint32_t ordinal = 0;    // the resource's place among those that the container asks for, by name
  bool short_lived = false;     // an init container that ends before the others start
  std::int64_t count = 0;
};
// By container.
std::vector<ExtendedAsk> extended_asks(const Pod& pod);

// The devices that stand for resources of containers: a claim that is no object.
struct ExtendedDevices {
  ResourceClaim claim;  // with its allocation, once there is one
  struct Mapping {
    std::uint32_t container;
    std::string resource;
    std::string request;  // of the claim
  };
  std::vector<Mapping> mappings;
};

// Which classes of devices stand for which resources. Every class stands for one that is named after it; of those that name the
// same resource the youngest counts.
class ExtendedResources {
 public:
  void build(const DeviceCatalog& catalog);

  // nullptr: no class stands for it.
  const std::string* class_of(std::string_view resource) const;
  bool empty() const { return classes_.empty(); }
  bool any(const std::vector<ExtendedAsk>& asks) const;

 private:
  std::map<std::string, std::string, std::less<>> classes_;  // by resource
};

// The claim for those of the asked resources that are in the list, by name; init containers that end use what the others will.
ExtendedDevices extended_devices(const std::vector<ExtendedAsk>& asks, const std::vector<std::string>& resources,
                                 const ExtendedResources& classes);

}  // namespace muster::kai
