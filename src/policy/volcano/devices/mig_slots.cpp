#include "policy/volcano/devices/mig_slots.h"

#include <algorithm>
#include <numeric>

#include "base/split.h"

namespace muster::volcano {
namespace {

struct Place {
  const MigInstance* instance;
  std::int64_t index;  // among the instances of this name
};

std::int64_t before(const MigGeometry& geometry, std::size_t instance) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < instance; ++i) count += geometry.instances[i].count;
  return count;
}

std::optional<Place> place_of(const MigGeometry& geometry, std::int64_t position) {
  std::int64_t sum = 0;
  for (const auto& instance : geometry.instances) {
    if (position < sum + instance.count) return Place{&instance, position - sum};
    sum += instance.count;
  }
  return std::nullopt;
}

std::int64_t first_free(std::int64_t count, const std::vector<std::int64_t>& taken) {
  for (std::int64_t i = 0; i < count; ++i)
    if (std::find(taken.begin(), taken.end(), i) == taken.end()) return i;
  return 0;
}

std::optional<MigSlot> pick_slot(const MigGeometry& geometry, const std::vector<MigUse::Instances>& use, std::uint64_t memory) {
  std::vector<std::size_t> order(geometry.instances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto l, auto r) { return geometry.instances[l].memory < geometry.instances[r].memory; });
  for (const auto at : order) {
    const auto& instance = geometry.instances[at];
    if (instance.memory < memory) continue;
    if (use.empty()) return MigSlot{geometry.group, before(geometry, at) + first_free(instance.count, {}), instance.memory};
    for (const auto& used : use)
      if (used.name == instance.name && instance.count > static_cast<std::int64_t>(used.taken.size()))
        return MigSlot{geometry.group, before(geometry, at) + first_free(instance.count, used.taken), instance.memory};
  }
  return std::nullopt;
}

}  // namespace

std::optional<MigSlot> find_slot(const std::vector<MigGeometry>& geometries, const MigUse& use, std::uint64_t memory) {
  if (use.geometry)
    return *use.geometry < geometries.size() ? pick_slot(geometries[*use.geometry], use.instances, memory) : std::nullopt;
  for (const auto& geometry : geometries)
    if (auto slot = pick_slot(geometry, {}, memory)) return slot;
  return std::nullopt;
}

std::uint64_t take_slot(const std::vector<MigGeometry>& geometries, MigUse& use, std::string_view group, std::int64_t position) {
  for (std::size_t g = 0; g < geometries.size(); ++g) {
    if (geometries[g].group != group) continue;
    use.geometry = g;
    const auto place = place_of(geometries[g], position);
    if (!place) return 0;
    auto known = std::find_if(use.instances.begin(), use.instances.end(),
                              [&](const auto& instances) { return instances.name == place->instance->name; });
    if (known == use.instances.end()) known = use.instances.insert(known, {place->instance->name, place->instance->memory, {}});
    const auto at = std::lower_bound(known->taken.begin(), known->taken.end(), place->index);
    if (at == known->taken.end() || *at != place->index) known->taken.insert(at, place->index);
    return known->memory;
  }
  return 0;
}

std::uint64_t free_slot(const std::vector<MigGeometry>& geometries, MigUse& use, std::string_view group, std::int64_t position) {
  for (std::size_t g = 0; g < geometries.size(); ++g) {
    if (geometries[g].group != group) continue;
    use.geometry = g;
    const auto place = place_of(geometries[g], position);
    if (!place) return 0;
    for (auto known = use.instances.begin(); known != use.instances.end(); ++known) {
      if (known->name != place->instance->name) continue;
      std::erase(known->taken, place->index);
      const auto memory = known->memory;
      if (known->taken.empty()) use.instances.erase(known);
      return memory;
    }
    return 0;
  }
  return 0;
}

std::string slot_id(std::string_view card, const MigSlot& slot) {
  return std::string(card) + "[" + slot.group + "-" + std::to_string(slot.position) + "]";
}

std::optional<MigSlot> parse_slot_id(std::string_view id) {
  const auto open = id.find('[');
  const auto close = id.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || open > close) return std::nullopt;
  const auto parts = split(id.substr(open + 1, close - open - 1), '-');
  if (parts.size() != 2) return std::nullopt;
  const auto position = parse_integer(parts[1]);
  if (!position) return std::nullopt;
  return MigSlot{std::string(parts[0]), *position, 0};
}

}  // namespace muster::volcano
