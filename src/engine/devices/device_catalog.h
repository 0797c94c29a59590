#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "engine/ids.h"
#include "model/devices.h"

namespace muster {

using DeviceId = StrongId<struct DeviceTag>;        // driver, pool and device, by name
using ClaimSpecId = StrongId<struct ClaimSpecTag>;  // what a claim asks for; many claims ask for the same

// What a pod says about one of its claims.
struct PodClaim {
  enum class Source : std::uint8_t {
    kNamed,         // names a claim
    kGenerated,     // one was made for it from a template
    kNotGenerated,  // one will be made
    kNotNeeded,     // it was found that none is needed
    kUnknown,       // neither a name nor a template
  };
  std::string name;  // within the pod
  std::string key;   // "namespace/claim"; for the first two
  Source source = Source::kNamed;

  bool is_resolved() const { return source == Source::kNamed || source == Source::kGenerated; }
};

struct SliceEntry {
  ResourceSlice slice;
  std::vector<DeviceId> ids;             // by device
  std::vector<std::uint32_t> instances;  // by device: which slot its answers to selectors are remembered in
};

struct ClaimEntry {
  ResourceClaim claim;
  ClaimSpecId spec;
  std::optional<DeviceAllocation> promised;  // chosen for a pod that is placed but not bound yet
  std::uint32_t promises = 0;                // how many pods it was promised to

  bool allocated() const { return claim.allocation.has_value(); }
};

// The slices of one pool, of all generations, by name.
struct PoolEntry {
  std::vector<const SliceEntry*> slices;
  std::string only_node;  // the one node that all of them are for; empty: not so
};

// The claims, slices and classes of the cluster, which devices are taken, and which pods name which claims. Claims are named
// "namespace/name", classes and slices by their name.
class DeviceCatalog {
 public:
  void set(ResourceClaim claim);
  void set(ResourceSlice slice);
  void set(DeviceClass device_class);
  void remove_claim(std::string_view key);
  void remove_slice(std::string_view name);
  void remove_class(std::string_view name);

  void set_pod(PodId pod, std::vector<PodClaim> claims);
  void remove_pod(PodId pod) { pods_.erase(pod); }
  // Empty for pods without claims.
  const std::vector<PodClaim>& claims_of(PodId pod) const;
  bool has_claims(PodId pod) const { return !pods_.empty() && pods_.contains(pod); }
  // Pods that have claims, in no particular order.
  const boost::unordered_flat_map<PodId, std::vector<PodClaim>>& pods() const { return pods_; }

  const ClaimEntry* claim(std::string_view key) const;
  const std::map<std::string, DeviceClass, std::less<>>& classes() const { return classes_; }
  // Claims that are no objects can be searched for like others.
  ClaimSpecId spec_of(const ResourceClaim& claim);
  const DeviceClass* device_class(std::string_view name) const;
  const std::map<std::string, ClaimEntry, std::less<>>& claims() const { return claims_; }

  // ---- slices, ordered by name
  const std::map<std::string, SliceEntry, std::less<>>& slices() const { return slices_; }
  const std::vector<const SliceEntry*>& slices_on(std::string_view node) const;
  // Those that are not for one node alone.
  const std::vector<const SliceEntry*>& shared_slices() const;
  const PoolEntry& pool(std::string_view driver, std::string_view name) const;
  std::size_t instance_count() const { return instance_count_; }
  // Slots whose device has gone since they were last taken; answers remembered in them are void.
  std::vector<std::uint32_t> take_stale_instances() { return std::exchange(stale_instances_, {}); }

  // ---- which devices are taken
  bool taken(DeviceId device) const { return use_.contains(device) && use_[device].exclusive != 0; }
  // What shares of the device hold of its capacity; nullptr: there are none.
  const Counters* consumed(DeviceId device) const;

  // A promise holds from the placement of a pod until it is bound or taken back. A claim that has one keeps it.
  void promise(std::string_view key, DeviceAllocation allocation);
  void withdraw(std::string_view key);
  // Makes a promise the claim's allocation.
  void confirm(std::string_view key);

  // What a claim is given from now on, in place of what it has. For schedulers that plan on the claims themselves.
  void assume(std::string_view key, std::optional<DeviceAllocation> allocation);
  // Devices that are taken without a claim saying so, until they are vacated.
  void occupy(const DeviceAllocation& allocation) { count_use(allocation, +1); }
  void vacate(const DeviceAllocation& allocation) { count_use(allocation, -1); }
  void set_consumers(std::string_view key, std::vector<ClaimConsumer> consumers);

  // Counts changes of objects, not of promises.
  std::uint64_t version() const { return version_; }

 private:
  struct Use {
    std::uint32_t exclusive = 0;  // claims that have it for themselves
    std::uint32_t shares = 0;
    Counters consumed;
  };
  void count_use(const DeviceAllocation& allocation, int sign);
  void index_slices() const;
  std::uint32_t new_instance();

  std::map<std::string, ClaimEntry, std::less<>> claims_;
  std::map<std::string, SliceEntry, std::less<>> slices_;
  std::map<std::string, DeviceClass, std::less<>> classes_;
  boost::unordered_flat_map<PodId, std::vector<PodClaim>> pods_;
  Interner<DeviceId> device_names_;
  Interner<ClaimSpecId> specs_;
  IdVector<DeviceId, Use> use_;
  std::uint64_t version_ = 0;

  std::size_t instance_count_ = 0;
  std::vector<std::uint32_t> free_instances_;
  std::vector<std::uint32_t> stale_instances_;

  // Made from the slices when it is first asked for.
  mutable bool indexed_ = true;
  mutable std::map<std::string, std::vector<const SliceEntry*>, std::less<>> by_node_;
  mutable std::vector<const SliceEntry*> shared_;
  mutable std::map<std::string, PoolEntry, std::less<>> pools_;  // by driver and name
};

// "namespace/name".
std::string claim_key(const ResourceClaim& claim);

}  // namespace muster
