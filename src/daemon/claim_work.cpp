#include "daemon/claim_work.h"

#include <algorithm>

#include "daemon/allocation_text.h"
#include "model/quoted.h"

namespace muster::daemon {
namespace {

bool waits_for_consumer(const VolumeCatalog& catalog, const PersistentVolumeClaim& claim) {
  const auto* storage_class = catalog.storage_class(class_of(claim));
  return !fully_bound(claim) && claim.volume_name.empty() && storage_class != nullptr &&
         storage_class->binding_mode == "WaitForFirstConsumer";
}

// A pod may mount a claim twice.
bool names(const ClaimWork& work, const PersistentVolumeClaim& claim) {
  const auto is_it = [&](const PersistentVolumeClaim& known) { return known.meta.name == claim.meta.name; };
  return std::any_of(work.provisions.begin(), work.provisions.end(), is_it) ||
         std::any_of(work.bindings.begin(), work.bindings.end(), [&](const auto& binding) { return is_it(binding.claim); });
}

const Device* find_device(const DeviceCatalog& catalog, const AllocatedDevice& wanted) {
  for (const auto* entry : catalog.pool(wanted.driver, wanted.pool).slices)
    for (const auto& device : entry->slice.devices)
      if (device.name == wanted.device) return &device;
  return nullptr;
}

}  // namespace

std::string device_obstacle(const DeviceCatalog& catalog, const DeviceAllocation& allocation) {
  for (const auto& chosen : allocation.devices)
    if (const auto* device = find_device(catalog, chosen); device != nullptr && device->has_binding_conditions)
      return "device " + chosen.driver + "/" + chosen.pool + "/" + chosen.device +
             " has to be prepared before pods are bound, which this version of muster does not wait for";
  return {};
}

// Claims of classes that bind at once are nobody's business but their controller's.
void add_volumes(const VolumeCatalog& catalog, const std::vector<std::string>& claims, const std::string& node, ClaimWork& work) {
  for (const auto& key : claims) {
    const auto* claim = catalog.claim(key);
    if (claim == nullptr || !waits_for_consumer(catalog, *claim) || names(work, *claim)) continue;
    const auto& volumes = catalog.volumes_of_class(class_of(*claim));
    const auto reserved = std::find_if(volumes.begin(), volumes.end(), [&](const PersistentVolume* volume) {
      return catalog.holder(*volume, *claim) == VolumeCatalog::Holder::kThisClaim;
    });
    if (catalog.selected_node(*claim) == node)
      work.provisions.push_back(*claim);
    else if (reserved != volumes.end())
      work.bindings.push_back({**reserved, *claim});
    else
      work.obstacle = "no volume was found for persistentvolumeclaim " + in_quotes(claim->meta.name);
  }
}

void add_devices(const DeviceCatalog& catalog, const std::string& key, const std::optional<DeviceAllocation>& given,
                 ShareNames& shares, ClaimWork& work) {
  const auto* entry = catalog.claim(key);
  if (std::any_of(work.devices.begin(), work.devices.end(), [&](const auto& known) { return claim_key(known.claim) == key; }))
    return;
  if (entry == nullptr || !given) {
    work.obstacle = "resource claim " + key + " has been given no devices";
    return;
  }
  if (auto why = device_obstacle(catalog, *given); !why.empty()) work.obstacle = std::move(why);
  auto claim = entry->claim;
  claim.allocation = given;
  auto text = allocation_text(catalog, claim, *given, shares);
  work.devices.push_back({std::move(claim), std::move(text)});
}

}  // namespace muster::daemon
