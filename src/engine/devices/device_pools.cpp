#include "engine/devices/device_pools.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace muster {
namespace {

using Slices = std::vector<const SliceEntry*>;

bool relevant(const ResourceSlice& slice, const NodeRecord& node) {
  if (!slice.shared_counters.empty()) return true;
  if (!slice.reach.node.empty() || slice.reach.all || slice.reach.selector) return reaches(slice.reach, node);
  return slice.reach_per_device &&
         std::any_of(slice.devices.begin(), slice.devices.end(), [&](const Device& device) { return reaches(device.reach, node); });
}

bool is_partitioned(const ResourceSlice& slice) { return slice.reach_per_device || !slice.shared_counters.empty(); }

bool unique_names(const Slices& slices) {
  std::set<std::string_view> names;
  for (const auto* entry : slices)
    for (const auto& device : entry->slice.devices)
      if (!names.insert(device.name).second) return false;
  return true;
}

// False: two sets have the same name.
bool collect_counters(const Slices& slices, DevicePool& pool) {
  for (const auto* entry : slices)
    for (const auto& set : entry->slice.shared_counters)
      if (!pool.counters.emplace(set.name, &set).second) return false;
  return true;
}

// Whether devices consume only counters that there are.
bool counters_known(const Slices& slices, const DevicePool& pool) {
  for (const auto* entry : slices)
    for (const auto& device : entry->slice.devices)
      for (const auto& consumption : device.consumes) {
        const auto set = pool.counters.find(consumption.name);
        if (set == pool.counters.end()) return false;
        for (const auto& [counter, amount] : consumption.counters)
          if (!set->second->counters.contains(counter)) return false;
      }
  return true;
}

// All slices of the pool in a generation; nothing when there is a newer one.
std::optional<Slices> slices_of_generation(const PoolEntry& pool, std::int64_t generation) {
  Slices slices;
  for (const auto* entry : pool.slices) {
    if (entry->slice.generation > generation) return std::nullopt;
    if (entry->slice.generation == generation) slices.push_back(entry);
  }
  return slices;
}

void build(DevicePool& pool, const Slices& seen, const Slices& all, DeviceFeatures features) {
  if (features == DeviceFeatures::kCore) {
    pool.here = seen;
    pool.invalid = !unique_names(seen);
    if (pool.invalid) pool.here.clear();
    return;
  }
  Slices counters;
  for (const auto* entry : seen) (entry->slice.shared_counters.empty() ? pool.here : counters).push_back(entry);
  for (const auto* entry : all)
    if (std::find(seen.begin(), seen.end(), entry) == seen.end()) pool.elsewhere.push_back(entry);
  pool.invalid = !unique_names(pool.here) || !collect_counters(counters, pool) || !counters_known(seen, pool) ||
                 !counters_known(pool.elsewhere, pool);
  if (pool.invalid) pool.here.clear();
}

bool needs_preparation(const DevicePool& pool) {
  return std::any_of(pool.here.begin(), pool.here.end(), [](const SliceEntry* entry) {
    return std::any_of(entry->slice.devices.begin(), entry->slice.devices.end(),
                       [](const Device& device) { return device.has_binding_conditions; });
  });
}

}  // namespace

bool reaches(const NodeReach& reach, const NodeRecord& node) {
  if (!reach.node.empty()) return reach.node == node.name;
  if (reach.all) return true;
  return reach.selector && reach.selector->matches(node.labels, node.name);
}

std::vector<DevicePool> gather_pools(const DeviceCatalog& catalog, const NodeRecord& node, DeviceFeatures features) {
  // Of each pool the newest generation that the node sees.
  std::map<std::pair<std::string_view, std::string_view>, Slices> found;
  for (const auto* list : {&catalog.slices_on(node.name), &catalog.shared_slices()})
    for (const auto* entry : *list) {
      if (features == DeviceFeatures::kCore && is_partitioned(entry->slice)) continue;
      if (!relevant(entry->slice, node)) continue;
      auto& slices = found[{entry->slice.driver, entry->slice.pool}];
      if (!slices.empty() && entry->slice.generation < slices.front()->slice.generation) continue;
      if (!slices.empty() && entry->slice.generation > slices.front()->slice.generation) slices.clear();
      slices.push_back(entry);
    }
  std::vector<DevicePool> pools;
  for (auto& [id, slices] : found) {
    std::sort(slices.begin(), slices.end(), [](auto* a, auto* b) { return a->slice.meta.name < b->slice.meta.name; });
    DevicePool pool;
    pool.driver = id.first;
    pool.name = id.second;
    const auto expected = slices.front()->slice.slices_in_pool;
    if (static_cast<std::int64_t>(slices.size()) == expected) {
      build(pool, slices, slices, features);
    } else {
      const auto all = slices_of_generation(catalog.pool(id.first, id.second), slices.front()->slice.generation);
      if (!all) continue;  // being replaced by a generation that has nothing for this node
      pool.incomplete = static_cast<std::int64_t>(all->size()) != expected;
      if (!pool.incomplete) build(pool, slices, *all, features);
    }
    pools.push_back(std::move(pool));
  }
  std::stable_partition(pools.begin(), pools.end(), [](const DevicePool& pool) { return !needs_preparation(pool); });
  return pools;
}

}  // namespace muster
