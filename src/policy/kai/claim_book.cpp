#include "policy/kai/claim_book.h"

#include <algorithm>
#include <utility>

namespace muster::kai {
namespace {

bool same_devices(const DeviceAllocation& left, const DeviceAllocation& right) { return left.devices == right.devices; }

}  // namespace

ClaimConsumer consumer_of(const PodRecord& pod) { return {"", "pods", pod.name, pod.uid}; }

std::vector<ClaimConsumer> with(std::vector<ClaimConsumer> consumers, const ClaimConsumer& consumer) {
  if (std::find(consumers.begin(), consumers.end(), consumer) == consumers.end()) consumers.push_back(consumer);
  return consumers;
}

std::vector<ClaimConsumer> without(std::vector<ClaimConsumer> consumers, const ClaimConsumer& consumer) {
  std::erase(consumers, consumer);
  return consumers;
}

const ResourceClaim* ClaimBook::find(std::string_view key) const {
  const auto* entry = catalog_.claim(key);
  return entry == nullptr ? nullptr : &entry->claim;
}

void ClaimBook::set(const std::string& key, std::optional<DeviceAllocation> allocation, std::vector<ClaimConsumer> consumers) {
  const auto* claim = find(key);
  if (claim == nullptr) return;
  ++version_;
  const auto& held = claim->allocation;
  const bool same = held && allocation ? same_devices(*held, *allocation) : held.has_value() == allocation.has_value();
  if (!same) {
    if (held) finder_.note_change(*held);
    if (allocation) finder_.note_change(*allocation);
  }
  catalog_.assume(key, std::move(allocation));
  catalog_.set_consumers(key, std::move(consumers));
}

void ClaimBook::plan(const std::string& key, std::optional<DeviceAllocation> allocation, std::vector<ClaimConsumer> consumers) {
  const auto* claim = find(key);
  if (claim == nullptr) return;
  before_.try_emplace(key, State{claim->allocation, claim->reserved_for});
  set(key, std::move(allocation), std::move(consumers));
}

void ClaimBook::occupy(const DeviceAllocation& allocation) {
  ++version_;
  catalog_.occupy(allocation);
  finder_.note_change(allocation);
  occupied_.push_back(allocation);
}

void ClaimBook::vacate(const DeviceAllocation& allocation) {
  const auto at = std::find_if(occupied_.begin(), occupied_.end(),
                               [&](const DeviceAllocation& held) { return same_devices(held, allocation); });
  if (at == occupied_.end()) return;
  ++version_;
  catalog_.vacate(allocation);
  finder_.note_change(allocation);
  occupied_.erase(at);
}

void ClaimBook::restore() {
  for (auto& [key, state] : std::exchange(before_, {})) set(key, std::move(state.allocation), std::move(state.consumers));
  for (const auto& allocation : std::exchange(occupied_, {})) {
    catalog_.vacate(allocation);
    finder_.note_change(allocation);
  }
  ++version_;
}

void ClaimBook::bind(const std::string& key, const std::optional<DeviceAllocation>& allocation, const ClaimConsumer& consumer) {
  const auto* claim = find(key);
  if (claim == nullptr) return;
  set(key, allocation ? allocation : claim->allocation, with(claim->reserved_for, consumer));
}

void ClaimBook::release(const std::string& key, const ClaimConsumer& consumer) {
  const auto* claim = find(key);
  if (claim == nullptr) return;
  auto consumers = without(claim->reserved_for, consumer);
  if (consumers.size() == claim->reserved_for.size()) return;
  auto allocation = consumers.empty() ? std::nullopt : claim->allocation;
  set(key, std::move(allocation), std::move(consumers));
}

}  // namespace muster::kai
