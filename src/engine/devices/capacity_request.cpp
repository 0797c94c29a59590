#include "engine/devices/capacity_request.h"

#include <algorithm>

namespace muster {
namespace {

Quantity round_up(const Quantity& wish, const CapacityPolicy& policy) {
  if (policy.range) {
    const auto& range = *policy.range;
    if (wish < range.min) return range.min;
    const auto step = range.step ? range.step->units() : 0;
    if (step <= 0) return wish;
    const auto above = Quantity::from_units(wish.units()) - Quantity::from_units(range.min.units());
    const auto steps = above.units() / step + (above.units() % step != 0 ? 1 : 0);
    return Quantity::from_units(range.min.units(), Quantity::Format::kBinarySi) + Quantity::from_units(step) * steps;
  }
  const auto offered =
      std::find_if(policy.values.begin(), policy.values.end(), [&](const Quantity& value) { return wish <= value; });
  return offered == policy.values.end() ? wish : *offered;
}

Quantity amount_for(const Quantity* wish, const DeviceCapacity& capacity) {
  if (wish == nullptr) return capacity.policy && capacity.policy->fallback ? *capacity.policy->fallback : capacity.value;
  return capacity.policy ? round_up(*wish, *capacity.policy) : *wish;
}

bool offered(const Quantity& amount, const std::optional<CapacityPolicy>& policy) {
  if (!policy || (policy->fallback && amount == *policy->fallback)) return true;
  if (policy->range) {
    const auto& range = *policy->range;
    if (range.max && amount > *range.max) return false;
    const auto step = range.step ? range.step->units() : 0;
    return step <= 0 || (amount - range.min).units() % step == 0;
  }
  return policy->values.empty() || std::find(policy->values.begin(), policy->values.end(), amount) != policy->values.end();
}

const Quantity* find(const ResourceList& list, const std::string& name) {
  const auto found = list.find(name);
  return found == list.end() ? nullptr : &found->second;
}

}  // namespace

std::optional<Counters> capacity_taken(const ResourceList& wishes, const Device& device) {
  for (const auto& [name, wish] : wishes)
    if (!device.capacity.contains(name)) return std::nullopt;
  Counters taken;
  for (const auto& [name, capacity] : device.capacity) {
    const auto amount = amount_for(find(wishes, name), capacity);
    if (!offered(amount, capacity.policy)) return std::nullopt;
    taken.emplace(name, amount);
  }
  return taken;
}

bool capacity_left(const Device& device, const Counters& wanted, const Counters* taken, const Counters& planned) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    auto total = entry.second;
    for (const auto* others : {taken, &planned})
      if (const auto* other = others == nullptr ? nullptr : find(*others, entry.first)) total = total + *other;
    return total <= device.capacity.find(entry.first)->second.value;
  });
}

}  // namespace muster
