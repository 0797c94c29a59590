#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/books.h"
#include "engine/devices/device_finder.h"

namespace muster::kai {

// What claims have been given and who may use them. A cycle plans on it, and restore() takes the plans back; what the outside does
// stays.
class ClaimBook {
 public:
  ClaimBook(DeviceCatalog& catalog, DeviceFinder& finder) : catalog_(catalog), finder_(finder) {}

  const ResourceClaim* find(std::string_view key) const;
  // Changes with every plan.
  std::uint64_t version() const { return version_; }

  // ---- plans of a cycle
  void plan(const std::string& key, std::optional<DeviceAllocation> allocation, std::vector<ClaimConsumer> consumers);
  // Devices that are promised although no claim says so yet.
  void occupy(const DeviceAllocation& allocation);
  void vacate(const DeviceAllocation& allocation);
  void restore();

  // ---- what the outside does, between cycles
  void bind(const std::string& key, const std::optional<DeviceAllocation>& allocation, const ClaimConsumer& consumer);
  // The devices go with the last who used them.
  void release(const std::string& key, const ClaimConsumer& consumer);

 private:
  struct State {
    std::optional<DeviceAllocation> allocation;
    std::vector<ClaimConsumer> consumers;
  };
  void set(const std::string& key, std::optional<DeviceAllocation> allocation, std::vector<ClaimConsumer> consumers);

  DeviceCatalog& catalog_;
  DeviceFinder& finder_;
  std::map<std::string, State, std::less<>> before_;  // of claims that were planned on
  std::vector<DeviceAllocation> occupied_;
  std::uint64_t version_ = 0;
};

// A pod as a claim names it among those who may use it.
ClaimConsumer consumer_of(const PodRecord& pod);

// Lists with a consumer added, unless it is there, or taken out.
std::vector<ClaimConsumer> with(std::vector<ClaimConsumer> consumers, const ClaimConsumer& consumer);
std::vector<ClaimConsumer> without(std::vector<ClaimConsumer> consumers, const ClaimConsumer& consumer);

}  // namespace muster::kai
