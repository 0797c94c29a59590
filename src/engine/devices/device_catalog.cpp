#include "engine/devices/device_catalog.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/devices/claim_spec_text.h"

namespace muster {
namespace {

// No name of the API contains a slash besides those that separate domain and id, so this never says the same of two devices.
std::string joined(std::string_view driver, std::string_view pool) { return std::string(driver).append("\n").append(pool); }

template <class Table, class Key>
auto* find_in(Table& table, const Key& key) {
  const auto found = table.find(key);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

std::string claim_key(const ResourceClaim& claim) { return claim.meta.ns + "/" + claim.meta.name; }

// ------------------------------------------------------------------------------------------------------------ objects

void DeviceCatalog::set(ResourceClaim claim) {
  ++version_;
  auto& entry = claims_[claim_key(claim)];
  const bool same = entry.claim.meta.uid == claim.meta.uid && entry.claim.meta.resource_version == claim.meta.resource_version;
  if (same && !claim.meta.uid.empty() && !claim.allocation && entry.allocated()) return;  // older than what was decided here
  if (entry.allocated()) count_use(*entry.claim.allocation, -1);
  if (entry.promised && (claim.allocation || entry.claim.meta.uid != claim.meta.uid)) {
    count_use(*entry.promised, -1);
    entry.promised.reset();
    entry.promises = 0;
  }
  entry.spec = spec_of(claim);
  entry.claim = std::move(claim);
  if (entry.allocated()) count_use(*entry.claim.allocation, +1);
}

void DeviceCatalog::set(ResourceSlice slice) {
  remove_slice(slice.meta.name);
  auto& entry = slices_[slice.meta.name];
  for (const auto& device : slice.devices) {
    entry.ids.push_back(device_names_.intern(joined(joined(slice.driver, slice.pool), device.name)));
    entry.instances.push_back(new_instance());
  }
  use_.resize(device_names_.size());
  entry.slice = std::move(slice);
  ++version_;
  indexed_ = false;
}

void DeviceCatalog::set(DeviceClass device_class) {
  ++version_;
  auto name = device_class.meta.name;
  classes_[std::move(name)] = std::move(device_class);
}

void DeviceCatalog::remove_claim(std::string_view key) {
  const auto found = claims_.find(key);
  if (found == claims_.end()) return;
  ++version_;
  if (found->second.allocated()) count_use(*found->second.claim.allocation, -1);
  if (found->second.promised) count_use(*found->second.promised, -1);
  claims_.erase(found);
}

void DeviceCatalog::remove_slice(std::string_view name) {
  const auto found = slices_.find(name);
  if (found == slices_.end()) return;
  for (const auto instance : found->second.instances) {
    free_instances_.push_back(instance);
    stale_instances_.push_back(instance);
  }
  slices_.erase(found);
  ++version_;
  indexed_ = false;
  by_node_.clear(), shared_.clear(), pools_.clear();  // they point to it
}

void DeviceCatalog::remove_class(std::string_view name) {
  const auto found = classes_.find(name);
  if (found == classes_.end()) return;
  ++version_;
  classes_.erase(found);
}

std::uint32_t DeviceCatalog::new_instance() {
  if (free_instances_.empty()) return static_cast<std::uint32_t>(instance_count_++);
  const auto instance = free_instances_.back();
  free_instances_.pop_back();
  return instance;
}

void DeviceCatalog::set_pod(PodId pod, std::vector<PodClaim> claims) {
  if (claims.empty())
    pods_.erase(pod);
  else
    pods_[pod] = std::move(claims);
}

const std::vector<PodClaim>& DeviceCatalog::claims_of(PodId pod) const {
  static const std::vector<PodClaim> kNone;
  const auto* found = pods_.empty() ? nullptr : find_in(pods_, pod);
  return found == nullptr ? kNone : *found;
}

ClaimSpecId DeviceCatalog::spec_of(const ResourceClaim& claim) { return specs_.intern(spec_text(claim)); }

const ClaimEntry* DeviceCatalog::claim(std::string_view key) const { return find_in(claims_, key); }
const DeviceClass* DeviceCatalog::device_class(std::string_view name) const { return find_in(classes_, name); }

// ------------------------------------------------------------------------------------------------------------- slices

void DeviceCatalog::index_slices() const {
  if (indexed_) return;
  indexed_ = true;
  by_node_.clear(), shared_.clear(), pools_.clear();
  for (const auto& [name, entry] : slices_) {
    const auto& slice = entry.slice;
    const bool local = !slice.reach.node.empty();
    if (local && slice.shared_counters.empty())
      by_node_[slice.reach.node].push_back(&entry);
    else
      shared_.push_back(&entry);
    auto& pool = pools_[joined(slice.driver, slice.pool)];
    if (pool.slices.empty()) pool.only_node = slice.reach.node;
    pool.slices.push_back(&entry);
  }
  for (auto& [name, pool] : pools_)
    if (!std::all_of(pool.slices.begin(), pool.slices.end(),
                     [&](const SliceEntry* entry) { return entry->slice.reach.node == pool.only_node; }))
      pool.only_node.clear();
}

const std::vector<const SliceEntry*>& DeviceCatalog::slices_on(std::string_view node) const {
  static const std::vector<const SliceEntry*> kNone;
  index_slices();
  const auto* found = find_in(by_node_, node);
  return found == nullptr ? kNone : *found;
}

const std::vector<const SliceEntry*>& DeviceCatalog::shared_slices() const {
  index_slices();
  return shared_;
}

const PoolEntry& DeviceCatalog::pool(std::string_view driver, std::string_view name) const {
  static const PoolEntry kNone;
  index_slices();
  const auto* found = find_in(pools_, joined(driver, name));
  return found == nullptr ? kNone : *found;
}

// ---------------------------------------------------------------------------------------------------------- what is taken

void DeviceCatalog::count_use(const DeviceAllocation& allocation, int sign) {
  for (const auto& device : allocation.devices) {
    if (device.admin_access) continue;  // sees the device without taking it
    const auto id = device_names_.intern(joined(joined(device.driver, device.pool), device.device));
    if (!use_.contains(id)) use_.resize(device_names_.size());
    auto& use = use_[id];
    if (!device.shared) {
      use.exclusive += static_cast<std::uint32_t>(sign);
      continue;
    }
    use.shares += static_cast<std::uint32_t>(sign);
    for (const auto& [name, amount] : device.consumed) {
      auto& total = use.consumed[name];
      total = sign > 0 ? total + amount : total - amount;
    }
    if (use.shares == 0) use.consumed.clear();
  }
}

const Counters* DeviceCatalog::consumed(DeviceId device) const {
  return use_.contains(device) && use_[device].shares != 0 ? &use_[device].consumed : nullptr;
}

void DeviceCatalog::promise(std::string_view key, DeviceAllocation allocation) {
  auto* entry = find_in(claims_, key);
  if (!MUSTER_EXPECT(entry != nullptr && !entry->allocated())) return;
  if (entry->promises++ != 0) return;
  count_use(allocation, +1);
  entry->promised = std::move(allocation);
}

void DeviceCatalog::withdraw(std::string_view key) {
  auto* entry = find_in(claims_, key);
  if (entry == nullptr || entry->promises == 0) return;  // the object has changed since
  if (--entry->promises != 0) return;
  count_use(*entry->promised, -1);
  entry->promised.reset();
}

void DeviceCatalog::assume(std::string_view key, std::optional<DeviceAllocation> allocation) {
  auto* entry = find_in(claims_, key);
  if (entry == nullptr) return;
  if (entry->allocated()) count_use(*entry->claim.allocation, -1);
  entry->claim.allocation = std::move(allocation);
  if (entry->allocated()) count_use(*entry->claim.allocation, +1);
}

void DeviceCatalog::set_consumers(std::string_view key, std::vector<ClaimConsumer> consumers) {
  if (auto* entry = find_in(claims_, key)) entry->claim.reserved_for = std::move(consumers);
}

void DeviceCatalog::confirm(std::string_view key) {
  auto* entry = find_in(claims_, key);
  if (entry == nullptr || !entry->promised) return;
  entry->claim.allocation = std::move(*entry->promised);
  entry->promised.reset();
  entry->promises = 0;
}

}  // namespace muster
