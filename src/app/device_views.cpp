#include "app/device_views.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/devices/device_pools.h"

namespace muster {
namespace {

std::string device_name(std::string_view driver, std::string_view pool, std::string_view device) {
  return std::string(driver).append("/").append(pool).append("/").append(device);
}

// A device that pods on the node have, and the keys of these pods.
struct HeldDevice {
  const AllocatedDevice* device = nullptr;
  std::set<std::string> pods;
};

// By name. Administrative access takes nothing, so it does not count.
std::map<std::string, HeldDevice> held_on(const Books& books, const DeviceCatalog& catalog, NodeId node) {
  std::map<std::string, HeldDevice> held;
  for (const auto pod : books.pods_on(node))
    for (const auto& claim : catalog.claims_of(pod)) {
      const auto* entry = claim.is_resolved() ? catalog.claim(claim.key) : nullptr;
      if (entry == nullptr) continue;
      const auto& given = entry->allocated() ? entry->claim.allocation : entry->promised;
      if (!given) continue;
      for (const auto& device : given->devices) {
        if (device.admin_access) continue;
        auto& known = held[device_name(device.driver, device.pool, device.device)];
        known.device = &device;
        known.pods.insert(books.pod_key(pod));
      }
    }
  return held;
}

// How much of a device is in use by claims that share it.
void add_capacity(const Device& device, const Counters& consumed, DeviceView& view) {
  for (const auto& [name, capacity] : device.capacity) {
    const auto taken = consumed.find(name);
    if (taken == consumed.end()) continue;
    const auto total = capacity.value.approximate();
    const auto used = taken->second.approximate();
    if (total > 0) view.used = std::clamp(used / total, view.used, 1.0);
    view.amounts.push_back({name, used, total});
  }
}

DeviceView view_of(const DeviceCatalog& catalog, const SliceEntry& entry, std::size_t at) {
  const auto& device = entry.slice.devices[at];
  DeviceView view;
  view.device = device_name(entry.slice.driver, entry.slice.pool, device.name);
  if (catalog.taken(entry.ids[at])) view.used = 1;
  if (const auto* consumed = catalog.consumed(entry.ids[at])) add_capacity(device, *consumed, view);
  return view;
}

// Those that no other node reaches, by name.
std::map<std::string, DeviceView> own_devices(const DeviceCatalog& catalog, const NodeRecord& node) {
  std::map<std::string, DeviceView> views;
  if (catalog.slices().empty()) return views;
  for (const auto& pool : gather_pools(catalog, node))
    for (const auto* entry : pool.here) {
      if (entry->slice.reach.node != node.name) continue;
      for (std::size_t at = 0; at < entry->ids.size(); ++at) {
        auto view = view_of(catalog, *entry, at);
        views.insert_or_assign(view.device, std::move(view));
      }
    }
  return views;
}

// One that several nodes reach, or that no slice offers any more.
DeviceView view_of_held(const DeviceCatalog& catalog, const std::string& name, const AllocatedDevice& held) {
  for (const auto* entry : catalog.pool(held.driver, held.pool).slices)
    for (std::size_t at = 0; at < entry->slice.devices.size(); ++at)
      if (entry->slice.devices[at].name == held.device) return view_of(catalog, *entry, at);
  DeviceView view;
  view.device = name;
  view.used = held.shared ? 0 : 1;
  return view;
}

}  // namespace

std::vector<DeviceView> claimed_device_views(const Books& books, const DeviceCatalog& catalog, NodeId node) {
  auto held = held_on(books, catalog, node);
  auto views = own_devices(catalog, books.node(node));
  for (auto& [name, device] : held) {
    const auto known = views.try_emplace(name).first;
    if (known->second.device.empty()) known->second = view_of_held(catalog, name, *device.device);
    known->second.pods.assign(device.pods.begin(), device.pods.end());
  }
  std::vector<DeviceView> all;
  for (auto& [name, view] : views) all.push_back(std::move(view));
  return all;
}

}  // namespace muster
