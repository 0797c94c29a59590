#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/ids.h"
#include "model/devices.h"

namespace muster::volcano {

class Cluster;
struct Job;

// Devices of one class: how many, and how much of each dimension of their capacity.
struct DeviceAmount {
  std::int64_t count = 0;
  Counters capacity;

  bool operator==(const DeviceAmount&) const = default;
};
// By device class. Sums stop at the largest number; differences stop at zero.
using DeviceAmounts = std::map<std::string, DeviceAmount, std::less<>>;
void add(DeviceAmounts& to, const DeviceAmounts& amounts, std::int64_t times = 1);
void subtract(DeviceAmounts& from, const DeviceAmounts& amounts);

// The devices that a pod asks for as queues count them: exact requests only, neither alternatives nor "all devices". By claim, in
// the order of their keys, because pods may share a claim.
struct DeviceDemand {
  std::vector<std::pair<std::string, DeviceAmounts>> claims;
  DeviceAmounts total;

  bool empty() const { return claims.empty(); }
};
// Empty also for pods whose claims are not all there yet.
DeviceDemand device_demand(const Cluster& cluster, PodId pod);

// What a job's minimum of pods asks for: its first pods by name or, with minimums per role, of each role one pod times its minimum.
DeviceAmounts minimum_device_demand(const Cluster& cluster, const Job& job);

// Names of devices in lists of resources: "deviceclass/<class>" is a number of devices, "<dimension>.deviceclass/<class>" an amount
// of their capacity.
DeviceAmounts device_amounts_of(const ResourceList& list);
void add_device_names(const DeviceAmounts& amounts, ResourceList& list);

}  // namespace muster::volcano
