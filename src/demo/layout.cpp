#include "demo/layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace muster::demo {
namespace {

// How many nodes each pool gets: in proportion, and what rounding leaves to those that lost most by it.
std::vector<std::int64_t> nodes_of_pools(const Scenario& scenario) {
  double all = 0;
  for (const auto& pool : scenario.pools) all += pool.share;
  std::vector<std::int64_t> out(scenario.pools.size(), 0);
  std::vector<std::pair<double, std::size_t>> lost;
  std::int64_t left = scenario.nodes;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double exact = all > 0 ? static_cast<double>(scenario.nodes) * scenario.pools[i].share / all : 0;
    out[i] = static_cast<std::int64_t>(std::floor(exact));
    left -= out[i];
    lost.emplace_back(static_cast<double>(out[i]) - exact, i);
  }
  std::ranges::sort(lost);
  for (std::size_t i = 0; left > 0; ++i, --left) ++out[lost[i % lost.size()].second];
  return out;
}

}  // namespace

std::vector<NodePlan> lay_out(const Scenario& scenario) {
  std::vector<NodePlan> out;
  const auto counts = nodes_of_pools(scenario);
  std::int64_t racks = 0;
  for (std::size_t pool = 0; pool < counts.size(); ++pool) {
    for (std::int64_t i = 0; i < counts[pool]; ++i) {
      const auto place = i % scenario.nodes_per_rack;
      if (place == 0) ++racks;
      const auto rack = fmt::format("rack-{:02}", racks);
      out.push_back({.name = fmt::format("{}-r{:02}-n{:02}", scenario.pools[pool].name, racks, place + 1),
                     .rack = rack,
                     .zone = fmt::format("zone-{}", (racks - 1) / scenario.racks_per_zone + 1),
                     .pool = &scenario.pools[pool]});
    }
  }
  return out;
}

}  // namespace muster::demo
