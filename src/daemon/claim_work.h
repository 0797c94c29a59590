#pragma once

#include <string>
#include <vector>

#include "daemon/share_names.h"
#include "engine/devices/device_catalog.h"
#include "engine/filters/volume_catalog.h"
#include "kube/clock.h"
#include "model/objects.h"

namespace muster::daemon {

// What has to be done about the claims of a pod before it can be bound to the node that was chosen for it. Objects are as the
// cycle saw them.
struct ClaimWork {
  struct Binding {
    PersistentVolume volume;  // is to be this claim's
    PersistentVolumeClaim claim;
  };
  struct Devices {
    ResourceClaim claim;     // with the devices that it has or is to have
    std::string allocation;  // as its status says it, in JSON
  };

  std::vector<Binding> bindings;
  std::vector<PersistentVolumeClaim> provisions;  // volumes are to be made for them, for the node
  std::vector<Devices> devices;
  kube::Duration longest_wait = std::chrono::minutes(10);  // for volumes to be bound
  std::string obstacle = {};                               // why it cannot be done; empty: it can

  bool empty() const { return bindings.empty() && provisions.empty() && devices.empty() && obstacle.empty(); }
};

// What was reserved for the volume claims of a pod, "namespace/name", that wait for their first consumer.
void add_volumes(const VolumeCatalog& catalog, const std::vector<std::string>& claims, const std::string& node, ClaimWork& work);

// A claim that the pod uses, with what it was given in the cycle or had before.
void add_devices(const DeviceCatalog& catalog, const std::string& key, const std::optional<DeviceAllocation>& given,
                 ShareNames& shares, ClaimWork& work);

// Why devices cannot be given, in words; empty: they can.
std::string device_obstacle(const DeviceCatalog& catalog, const DeviceAllocation& allocation);

}  // namespace muster::daemon
