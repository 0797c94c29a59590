#include "policy/volcano/device_demand.h"

#include <algorithm>
#include <limits>

#include "policy/volcano/cluster.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kCountPrefix = "deviceclass/";
constexpr std::string_view kCapacityInfix = ".deviceclass/";

std::int64_t saturating_add(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(left, right, &sum)) return sum;
  return left > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

std::int64_t saturating_multiply(std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(left, right, &product)) return product;
  return (left > 0) == (right > 0) ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

DeviceAmounts demand_of(const ResourceClaim& claim) {
  DeviceAmounts demand;
  for (const auto& request : claim.requests) {
    if (request.has_alternatives || !request.exact || request.mode == AllocationMode::kAll || request.device_class.empty())
      continue;
    const auto count = request.count == 0 ? 1 : request.count;
    auto& amount = demand[request.device_class];
    amount.count = saturating_add(amount.count, count);
    for (const auto& [dimension, quantity] : request.capacity) {
      auto& total = amount.capacity[dimension];
      total = total + quantity * count;
    }
  }
  return demand;
}

}  // namespace

void add(DeviceAmounts& to, const DeviceAmounts& amounts, std::int64_t times) {
  for (const auto& [name, amount] : amounts) {
    auto& sum = to[name];
    sum.count = saturating_add(sum.count, saturating_multiply(amount.count, times));
    for (const auto& [dimension, quantity] : amount.capacity) {
      auto& total = sum.capacity[dimension];
      total = total + quantity * times;
    }
  }
}

void subtract(DeviceAmounts& from, const DeviceAmounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto held = from.find(name);
    if (held == from.end()) continue;
    auto& left = held->second;
    left.count = std::max<std::int64_t>(saturating_add(left.count, saturating_multiply(amount.count, -1)), 0);
    for (const auto& [dimension, quantity] : amount.capacity)
      if (const auto total = left.capacity.find(dimension); total != left.capacity.end())
        total->second = std::max(total->second - quantity, Quantity());
  }
}

DeviceDemand device_demand(const Cluster& cluster, PodId pod) {
  DeviceDemand demand;
  std::map<std::string_view, DeviceAmounts> by_claim;
  for (const auto& claim : cluster.devices().claims_of(pod)) {
    const bool there = claim.source == PodClaim::Source::kNamed || claim.source == PodClaim::Source::kGenerated;
    const auto* entry = there ? cluster.devices().claim(claim.key) : nullptr;
    if (entry == nullptr) return {};
    // A claim that is named twice counts once, unless it asks for nothing that is counted.
    if (by_claim.contains(claim.key)) continue;
    auto amounts = demand_of(entry->claim);
    add(demand.total, amounts);
    if (!amounts.empty()) by_claim.emplace(claim.key, std::move(amounts));
  }
  for (auto& [key, amounts] : by_claim) demand.claims.emplace_back(key, std::move(amounts));
  return demand;
}

DeviceAmounts minimum_device_demand(const Cluster& cluster, const Job& job) {
  const auto& books = cluster.books();
  std::vector<PodId> pods;
  for (const auto pod : books.group(job.id).pods)
    if (cluster.devices().has_claims(pod)) pods.push_back(pod);
  std::sort(pods.begin(), pods.end(), [&](PodId l, PodId r) {
    const auto& left = books.pod(l);
    const auto& right = books.pod(r);
    return left.name != right.name ? left.name < right.name : left.uid < right.uid;
  });
  DeviceAmounts minimum;
  const bool by_role = std::any_of(job.roles.begin(), job.roles.end(), [](const Role& role) { return role.has_minimum; });
  std::vector<SymbolId> counted;
  std::int32_t taken = 0;
  for (const auto pod : pods) {
    if (!by_role && taken >= job.min_available) break;
    const auto demand = device_demand(cluster, pod);
    if (demand.empty()) continue;
    if (!by_role) {
      add(minimum, demand.total);
      ++taken;
      continue;
    }
    // The original takes any pod of the role; here it is the first by name.
    const auto name = books.pod(pod).role;
    const auto role = std::find_if(job.roles.begin(), job.roles.end(), [&](const Role& r) { return r.name == name; });
    if (role == job.roles.end() || role->minimum <= 0) continue;
    if (std::find(counted.begin(), counted.end(), name) != counted.end()) continue;
    counted.push_back(name);
    add(minimum, demand.total, role->minimum);
  }
  return minimum;
}

DeviceAmounts device_amounts_of(const ResourceList& list) {
  DeviceAmounts amounts;
  for (const auto& [name, quantity] : list) {
    const std::string_view text(name);
    const auto infix = text.find(kCapacityInfix);
    if (infix != std::string_view::npos && infix > 0) {
      const auto device_class = text.substr(infix + kCapacityInfix.size());
      if (!device_class.empty()) amounts[std::string(device_class)].capacity[std::string(text.substr(0, infix))] = quantity;
    } else if (text.starts_with(kCountPrefix) && text.size() > kCountPrefix.size()) {
      amounts[std::string(text.substr(kCountPrefix.size()))].count = quantity.units();
    }
  }
  return amounts;
}

void add_device_names(const DeviceAmounts& amounts, ResourceList& list) {
  for (const auto& [name, amount] : amounts) {
    if (amount.count > 0) list[std::string(kCountPrefix) + name] = Quantity::from_units(amount.count);
    for (const auto& [dimension, quantity] : amount.capacity)
      if (!quantity.is_zero()) list[dimension + std::string(kCapacityInfix) + name] = quantity;
  }
}

}  // namespace muster::volcano
