#pragma once

#include <optional>
#include <span>
#include <vector>

#include "policy/kai/numa/numa_node.h"
#include "policy/kai/numa/numa_request.h"

namespace muster::kai {

// Amounts by zone and by resource of a node.
class NumaTable {
 public:
  NumaTable() = default;
  NumaTable(std::size_t zones, std::size_t resources) : resources_(resources), amounts_(zones * resources, 0) {}
  double& at(std::size_t zone, std::size_t resource) { return amounts_[zone * resources_ + resource]; }
  double at(std::size_t zone, std::size_t resource) const { return amounts_[zone * resources_ + resource]; }

 private:
  std::size_t resources_ = 0;
  std::vector<double> amounts_;
};

// Finds the zones that a topology manager would give a pod.
class NumaFit {
 public:
  // `free` is what zones have left, `counts` tells for each resource of the node whether it is to be aligned for this pod.
  NumaFit(const NumaNode& node, const NumaTable& free, std::span<const char> counts) : node_(node), free_(free), counts_(counts) {}

  // What it would take of each zone; nothing: it does not fit as the policy asks.
  std::optional<NumaTable> place(const NumaRequest& request) const;

 private:
  using Zones = std::vector<std::size_t>;
  std::optional<Zones> choose(const NumaAmounts& request, const NumaTable& free) const;
  // The first zone that has all, the fewest zones of the width that all resources would prefer, or zone by zone what covers most.
  std::optional<Zones> first_single(const NumaAmounts& request, const NumaTable& free) const;
  std::optional<Zones> narrowest(const NumaAmounts& request, const NumaTable& free) const;
  std::optional<Zones> greediest(const NumaAmounts& request, const NumaTable& free) const;
  std::optional<std::size_t> preferred_width(std::size_t resource, double wanted) const;
  bool complete(const NumaAmounts& request, const NumaTable& free, std::size_t width, std::size_t from, Zones& chosen) const;
  bool suffices(const NumaAmounts& request, const NumaTable& free, const Zones& zones) const;
  bool hopeless(const NumaAmounts& request, const NumaTable& free, std::size_t missing, std::size_t from,
                const Zones& chosen) const;
  double need(const NumaAmounts& request, std::size_t resource) const {
    return counts_[resource] ? request.get(node_.resources[resource].id) : 0;
  }

  const NumaNode& node_;
  const NumaTable& free_;
  std::span<const char> counts_;
};

}  // namespace muster::kai
