#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>

#include "model/objects.h"
#include "policy/volcano/device_demand.h"

namespace muster::volcano {

// The devices of one queue: what it may hold of each class, what it holds, and what jobs that were let in may still take. A claim
// that several pods share counts once per queue.
class DeviceQuota {
 public:
  // Whether amounts of capacity are compared, or numbers of devices alone.
  enum class Capacity { kCounted, kIgnored };

  DeviceQuota() = default;
  // Limits are those of the capability; the other two lists only tell whether the queue has to do with devices at all.
  DeviceQuota(const ResourceList& capability, const ResourceList& deserved, const ResourceList& guarantee);

  // Whether the queue names devices in any of its lists. Nothing is limited or counted in one that does not.
  bool counts() const { return counts_; }

  // Whether a pod's devices still fit, apart from claims that the queue holds already.
  bool allows(const DeviceDemand& demand, Capacity capacity) const;
  // Whether a job's minimum fits besides what the queue holds and what others were let in with.
  bool admits(const DeviceAmounts& minimum, Capacity capacity) const;

  // Returns what the pod adds to what the queue holds.
  DeviceAmounts add(const DeviceDemand& demand);
  void remove(const DeviceDemand& demand);
  // Counts what a queue below holds, as far as this one has a limit for its class. Claims are not known to be shared then.
  void add_from_below(const DeviceAmounts& amounts);
  void promise(const DeviceAmounts& minimum) { volcano::add(promised_, minimum); }

  const DeviceAmounts& held() const { return held_; }

 private:
  bool fits(const DeviceAmounts& wanted, const DeviceAmounts* promised, Capacity capacity) const;

  bool counts_ = false;
  DeviceAmounts limits_;
  DeviceAmounts held_;
  DeviceAmounts promised_;
  boost::unordered_flat_map<std::string, int> users_;  // pods by claim
};

}  // namespace muster::volcano
