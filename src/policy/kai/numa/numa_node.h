#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kai_objects.h"
#include "policy/kai/numa/numa_amounts.h"

namespace muster::kai {

// What the topology manager of a node's kubelet does about pods that do not fit its zones.
enum class NumaPolicy : std::uint8_t { kNone, kBestEffort, kRestricted, kSingleNode };
// Whether it looks at pods as a whole or at each container.
enum class NumaScope : std::uint8_t { kContainer, kPod };

// A node's NUMA zones, as its NodeResourceTopology describes them.
struct NumaNode {
  struct Resource {
    SymbolId id;
    std::string name;              // as reported
    bool guaranteed_only = false;  // aligned for Guaranteed pods alone
  };
  struct Zone {
    std::string name;
    std::vector<double> allocatable, available;  // by resource
  };
  NumaPolicy policy = NumaPolicy::kNone;
  NumaScope scope = NumaScope::kContainer;
  std::vector<Resource> resources;          // that zones tell of
  std::vector<Zone> zones;                  // by the number that ends their names
  std::vector<std::vector<double>> widest;  // by resource: the most that one zone, two zones, ... could ever give

  // Whether pods are refused that do not fit, and whether zones are taken into account at all.
  bool refuses() const { return policy == NumaPolicy::kRestricted || policy == NumaPolicy::kSingleNode; }
  bool aligns() const { return policy != NumaPolicy::kNone; }
  std::optional<std::size_t> find_zone(std::string_view name) const;
  std::optional<std::size_t> find_resource(SymbolId id) const;
};

// Nothing: the object tells of no zones.
std::optional<NumaNode> numa_node_of(const NodeResourceTopology& topology, Interner<SymbolId>& symbols);

}  // namespace muster::kai
