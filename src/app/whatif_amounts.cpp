#include "app/whatif_amounts.h"

#include <algorithm>
#include <limits>
#include <set>

namespace muster {
namespace {

constexpr std::int64_t kSteps = 8;
constexpr std::int64_t kMilli = 1000;

// Cores are shared out in thousandths, everything else is whole.
bool has_thousandths(std::string_view resource) { return resource == "cpu"; }

template <class F>
void for_each_container(WhatIfQuestion& question, std::size_t job, F f) {
  for (auto& object : question.objects) {
    auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || !question.jobs[job].pods.contains(pod->meta.ns + "/" + pod->meta.name)) continue;
    for (auto* containers : {&pod->spec.init_containers, &pod->spec.containers})
      for (auto& container : *containers) f(container);
  }
}
template <class F>
void for_each_container(const WhatIfQuestion& question, std::size_t job, F f) {
  for_each_container(const_cast<WhatIfQuestion&>(question), job, [&](const Container& container) { f(container); });  // NOLINT
}

// Of cores in thousandths, of all else in whole units. Many large amounts are more than 64 bits hold.
__int128 sum_of(const WhatIfQuestion& question, std::size_t job, const std::string& resource) {
  __int128 sum = 0;
  for_each_container(question, job, [&](const Container& container) {
    if (const auto asked = container.requests.find(resource); asked != container.requests.end())
      sum += has_thousandths(resource) ? asked->second.milli() : asked->second.units();
  });
  return sum;
}

}  // namespace

std::vector<std::string> asked_resources(const WhatIfQuestion& question, std::size_t job) {
  std::set<std::string> names;
  for_each_container(question, job, [&](const Container& container) {
    for (const auto& [resource, amount] : container.requests)
      if (!amount.is_zero()) names.insert(resource);
  });
  return {names.begin(), names.end()};
}

SmallerAmounts smaller_amounts(const WhatIfQuestion& question, std::size_t job, const std::string& resource,
                               const std::optional<Quantity>& largest_node) {
  SmallerAmounts out;
  for_each_container(question, job, [&](const Container& container) {
    if (const auto asked = container.requests.find(resource); asked != container.requests.end())
      out.largest = std::max(out.largest, asked->second);
  });
  const bool milli = has_thousandths(resource);
  const auto most = milli ? out.largest.milli() : out.largest.units();
  std::set<std::int64_t, std::greater<>> amounts;
  const auto steps = std::min(kSteps, most);
  for (std::int64_t step = 1; step < steps; ++step) amounts.insert(most / steps * step + most % steps * step / steps);
  const auto there = !largest_node ? 0 : milli ? largest_node->milli() : largest_node->units();
  if (there > 0 && there < most) amounts.insert(there);
  for (const auto amount : amounts)
    out.amounts.push_back(milli ? Quantity::from_milli(amount, out.largest.format())
                                : Quantity::from_units(amount, out.largest.format()));
  return out;
}

std::vector<FitsIf::Part> cap_amounts(WhatIfQuestion& question, std::size_t job, const std::string& resource, const Quantity& cap) {
  const auto largest = smaller_amounts(question, job, resource).largest;
  auto before = sum_of(question, job, resource);
  for_each_container(question, job, [&](Container& container) {
    for (auto* amounts : {&container.requests, &container.limits})
      if (const auto asked = amounts->find(resource); asked != amounts->end()) asked->second = std::min(asked->second, cap);
  });
  auto after = sum_of(question, job, resource);
  for (; before > std::numeric_limits<std::int64_t>::max(); before /= 2) after /= 2;  // their proportion is what counts
  std::vector<FitsIf::Part> parts = {{"spec.containers[*].resources.requests." + resource, largest.text(), cap.text()}};
  for (auto& object : question.objects) {
    auto* group = std::get_if<PodGroup>(&object);
    if (group == nullptr || !group->min_resources || group->meta.ns + "/" + group->meta.name != question.jobs[job].name) continue;
    if (const auto least = group->min_resources->find(resource); least != group->min_resources->end())
      parts.push_back(scale_minimum(resource, least->second, static_cast<std::int64_t>(after), static_cast<std::int64_t>(before)));
  }
  return parts;
}

FitsIf::Part scale_minimum(const std::string& resource, Quantity& amount, std::int64_t part, std::int64_t whole) {
  const auto before = amount;
  if (whole <= 0) return {"spec.minResources." + resource, before.text(), before.text()};
  const auto scaled = [&](std::int64_t value) {
    return static_cast<std::int64_t>((static_cast<__int128>(value) * part + whole - 1) / whole);
  };
  amount = has_thousandths(resource) ? Quantity::from_milli(scaled(amount.milli()), amount.format())
                                     : Quantity::from_units(scaled(amount.units()), amount.format());
  return {"spec.minResources." + resource, before.text(), amount.text()};
}

}  // namespace muster
