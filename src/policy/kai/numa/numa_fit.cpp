#include "policy/kai/numa/numa_fit.h"

#include <algorithm>

namespace muster::kai {

std::optional<NumaTable> NumaFit::place(const NumaRequest& request) const {
  const auto resources = node_.resources.size();
  NumaTable taken(node_.zones.size(), resources);
  NumaTable left = free_;
  const auto take = [&](const NumaAmounts& amounts) {
    const auto zones = choose(amounts, left);
    if (!zones) return false;
    for (std::size_t r = 0; r < resources; ++r) {
      auto missing = need(amounts, r);
      for (const auto zone : *zones) {
        const auto part = std::min(missing, left.at(zone, r));
        if (part <= 0) continue;
        taken.at(zone, r) += part;
        left.at(zone, r) -= part;
        missing -= part;
      }
    }
    return true;
  };
  if (node_.scope == NumaScope::kPod) return take(request.pod) ? std::optional(std::move(taken)) : std::nullopt;
  for (const auto& amounts : request.together)
    if (!take(amounts)) return std::nullopt;
  for (const auto& amounts : request.one_by_one)
    if (!choose(amounts, free_)) return std::nullopt;
  return taken;
}

std::optional<NumaFit::Zones> NumaFit::choose(const NumaAmounts& request, const NumaTable& free) const {
  switch (node_.policy) {
    case NumaPolicy::kSingleNode: return first_single(request, free);
    case NumaPolicy::kBestEffort: return greediest(request, free);
    case NumaPolicy::kRestricted:
    case NumaPolicy::kNone: return narrowest(request, free);
  }
  return std::nullopt;
}

bool NumaFit::suffices(const NumaAmounts& request, const NumaTable& free, const Zones& zones) const {
  for (std::size_t r = 0; r < node_.resources.size(); ++r) {
    const auto wanted = need(request, r);
    if (wanted <= 0) continue;
    double sum = 0;
    for (const auto zone : zones) sum += free.at(zone, r);
    if (sum < wanted) return false;
  }
  return true;
}

std::optional<NumaFit::Zones> NumaFit::first_single(const NumaAmounts& request, const NumaTable& free) const {
  for (std::size_t zone = 0; zone < node_.zones.size(); ++zone)
    if (Zones one = {zone}; suffices(request, free, one)) return one;
  return std::nullopt;
}

std::optional<std::size_t> NumaFit::preferred_width(std::size_t resource, double wanted) const {
  const auto& most = node_.widest[resource];
  const auto enough = std::lower_bound(most.begin(), most.end(), wanted);
  return enough == most.end() ? std::nullopt : std::optional(static_cast<std::size_t>(enough - most.begin()) + 1);
}

std::optional<NumaFit::Zones> NumaFit::narrowest(const NumaAmounts& request, const NumaTable& free) const {
  std::optional<std::size_t> width;
  for (std::size_t r = 0; r < node_.resources.size(); ++r) {
    const auto wanted = need(request, r);
    if (wanted <= 0) continue;
    const auto preferred = preferred_width(r, wanted);
    if (!preferred || (width && *width != *preferred)) return std::nullopt;
    width = preferred;
  }
  Zones zones;
  if (!width || complete(request, free, *width, 0, zones)) return zones;
  return std::nullopt;
}

// The first combination of that many zones, in the order of their places, that has all.
bool NumaFit::complete(const NumaAmounts& request, const NumaTable& free, std::size_t width, std::size_t from,
                       Zones& chosen) const {
  if (chosen.size() == width) return suffices(request, free, chosen);
  const auto missing = width - chosen.size();
  for (auto zone = from; zone + missing <= node_.zones.size(); ++zone) {
    if (hopeless(request, free, missing, zone, chosen)) return false;
    chosen.push_back(zone);
    if (complete(request, free, width, zone + 1, chosen)) return true;
    chosen.pop_back();
  }
  return false;
}

// Even the best of the zones that are left, each as good as the best, would not be enough.
bool NumaFit::hopeless(const NumaAmounts& request, const NumaTable& free, std::size_t missing, std::size_t from,
                       const Zones& chosen) const {
  for (std::size_t r = 0; r < node_.resources.size(); ++r) {
    const auto wanted = need(request, r);
    if (wanted <= 0) continue;
    double sum = 0;
    for (const auto zone : chosen) sum += free.at(zone, r);
    double best = free.at(from, r);
    for (auto zone = from + 1; zone < node_.zones.size(); ++zone) best = std::max(best, free.at(zone, r));
    if (sum + best * static_cast<double>(missing) < wanted) return true;
  }
  return false;
}

// What a zone covers is the plain sum over resources, whatever they are counted in.
std::optional<NumaFit::Zones> NumaFit::greediest(const NumaAmounts& request, const NumaTable& free) const {
  const auto resources = node_.resources.size();
  std::vector<double> missing(resources);
  for (std::size_t r = 0; r < resources; ++r) missing[r] = need(request, r);
  const auto is_met = [&] { return std::all_of(missing.begin(), missing.end(), [](double amount) { return amount <= 0; }); };
  Zones zones;
  while (!is_met()) {
    std::optional<std::size_t> best;
    double most = 0;
    for (std::size_t zone = 0; zone < node_.zones.size(); ++zone) {
      if (std::find(zones.begin(), zones.end(), zone) != zones.end()) continue;
      double covered = 0;
      for (std::size_t r = 0; r < resources; ++r)
        if (missing[r] > 0) covered += std::min(missing[r], free.at(zone, r));
      if (covered > most) best = zone, most = covered;
    }
    if (!best) return std::nullopt;
    zones.push_back(*best);
    for (std::size_t r = 0; r < resources; ++r) missing[r] -= free.at(*best, r);
  }
  return zones;
}

}  // namespace muster::kai
