#include "policy/volcano/device_quota.h"

#include <algorithm>
#include <limits>

namespace muster::volcano {
namespace {

const DeviceAmount& amount_in(const DeviceAmounts* amounts, const std::string& device_class) {
  static const DeviceAmount kNone;
  if (amounts == nullptr) return kNone;
  const auto found = amounts->find(device_class);
  return found == amounts->end() ? kNone : found->second;
}

Quantity capacity_in(const DeviceAmount& amount, const std::string& dimension) {
  const auto found = amount.capacity.find(dimension);
  return found == amount.capacity.end() ? Quantity() : found->second;
}

// Counts come from users and may be as large as 64 bits allow.
bool exceeds(std::int64_t limit, std::initializer_list<std::int64_t> counts) {
  std::int64_t sum = 0;
  for (const auto count : counts)
    if (__builtin_add_overflow(sum, count, &sum)) return count > 0;
  return sum > limit;
}

bool fits_class(const DeviceAmount& wanted, const DeviceAmount& limit, const DeviceAmount& held, const DeviceAmount& promised,
                DeviceQuota::Capacity capacity) {
  if (limit.count > 0 && exceeds(limit.count, {held.count, promised.count, wanted.count})) return false;
  if (capacity == DeviceQuota::Capacity::kIgnored) return true;
  return std::all_of(wanted.capacity.begin(), wanted.capacity.end(), [&](const auto& entry) {
    const auto allowed = limit.capacity.find(entry.first);
    if (allowed == limit.capacity.end()) return false;
    return capacity_in(held, entry.first) + capacity_in(promised, entry.first) + entry.second <= allowed->second;
  });
}

}  // namespace

DeviceQuota::DeviceQuota(const ResourceList& capability, const ResourceList& deserved, const ResourceList& guarantee)
    : limits_(device_amounts_of(capability)) {
  counts_ = !limits_.empty() || !device_amounts_of(deserved).empty() || !device_amounts_of(guarantee).empty();
}

bool DeviceQuota::fits(const DeviceAmounts& wanted, const DeviceAmounts* promised, Capacity capacity) const {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const auto limit = limits_.find(entry.first);
    return limit == limits_.end() ||
           fits_class(entry.second, limit->second, amount_in(&held_, entry.first), amount_in(promised, entry.first), capacity);
  });
}

bool DeviceQuota::allows(const DeviceDemand& demand, Capacity capacity) const {
  if (!counts_ || demand.empty()) return true;
  DeviceAmounts fresh;
  for (const auto& [claim, amounts] : demand.claims)
    if (!users_.contains(claim)) volcano::add(fresh, amounts);
  return fits(fresh, nullptr, capacity);
}

bool DeviceQuota::admits(const DeviceAmounts& minimum, Capacity capacity) const {
  return !counts_ || fits(minimum, &promised_, capacity);
}

DeviceAmounts DeviceQuota::add(const DeviceDemand& demand) {
  DeviceAmounts fresh;
  if (!counts_) return fresh;
  for (const auto& [claim, amounts] : demand.claims)
    if (users_[claim]++ == 0) volcano::add(fresh, amounts);
  volcano::add(held_, fresh);
  return fresh;
}

void DeviceQuota::remove(const DeviceDemand& demand) {
  if (!counts_) return;
  for (const auto& [claim, amounts] : demand.claims) {
    const auto users = users_.find(claim);
    if (users != users_.end() && --users->second > 0) continue;
    if (users != users_.end()) users_.erase(users);
    subtract(held_, amounts);
  }
}

void DeviceQuota::add_from_below(const DeviceAmounts& amounts) {
  DeviceAmounts limited;
  for (const auto& [device_class, amount] : amounts)
    if (limits_.contains(device_class)) limited.emplace(device_class, amount);
  volcano::add(held_, limited);
}

}  // namespace muster::volcano
