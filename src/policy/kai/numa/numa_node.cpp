#include "policy/kai/numa/numa_node.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "policy/kai/request.h"

namespace muster::kai {
namespace {

constexpr std::pair<std::string_view, NumaPolicy> kPolicies[] = {
    {"best-effort", NumaPolicy::kBestEffort},
    {"restricted", NumaPolicy::kRestricted},
    {"single-numa-node", NumaPolicy::kSingleNode},
};

struct OldPolicy {
  std::string_view name;
  NumaPolicy policy;
  NumaScope scope;
};
constexpr OldPolicy kOldPolicies[] = {
    {"BestEffort", NumaPolicy::kBestEffort, NumaScope::kContainer},
    {"BestEffortContainerLevel", NumaPolicy::kBestEffort, NumaScope::kContainer},
    {"BestEffortPodLevel", NumaPolicy::kBestEffort, NumaScope::kPod},
    {"Restricted", NumaPolicy::kRestricted, NumaScope::kContainer},
    {"RestrictedContainerLevel", NumaPolicy::kRestricted, NumaScope::kContainer},
    {"RestrictedPodLevel", NumaPolicy::kRestricted, NumaScope::kPod},
    {"SingleNUMANodeContainerLevel", NumaPolicy::kSingleNode, NumaScope::kContainer},
    {"SingleNUMANodePodLevel", NumaPolicy::kSingleNode, NumaScope::kPod},
};

// Attributes say it; only without a policy among them the old list is looked at, and of that the first entry.
void take_policy(const NodeResourceTopology& topology, NumaNode& node) {
  std::string policy, scope;
  for (const auto& [name, value] : topology.attributes) {
    if (name == "topologyManagerPolicy") policy = value;
    if (name == "topologyManagerScope") scope = value;
  }
  if (!policy.empty()) {
    for (const auto& [name, meaning] : kPolicies)
      if (name == policy) node.policy = meaning;
    if (scope == "pod") node.scope = NumaScope::kPod;
    return;
  }
  if (topology.policies.empty()) return;
  for (const auto& old : kOldPolicies)
    if (old.name == topology.policies.front()) node.policy = old.policy, node.scope = old.scope;
}

std::optional<std::int64_t> zone_number(std::string_view zone) {
  const auto last = zone.find_last_not_of("0123456789");
  const auto digits = last == std::string_view::npos ? zone : zone.substr(last + 1);
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return digits.empty() || error != std::errc() ? std::nullopt : std::optional(number);
}

bool zone_before(const NumaNode::Zone& left, const NumaNode::Zone& right) {
  const auto l = zone_number(left.name);
  const auto r = zone_number(right.name);
  if (l && r && *l != *r) return *l < *r;
  if (l.has_value() != r.has_value()) return l.has_value();
  return left.name < right.name;
}

int rank_of(std::string_view name) {
  if (name == "cpu") return 0;
  if (name == "memory") return 1;
  return is_gpu(name) ? 2 : 3;
}

void take_resources(const NodeResourceTopology& topology, NumaNode& node, Interner<SymbolId>& symbols) {
  std::map<std::string, SymbolId> names;
  for (const auto& zone : topology.zones)
    if (zone.type == "Node")
      for (const auto& resource : zone.resources) names.emplace(resource.name, NumaAmounts::resource(resource.name, symbols));
  for (const auto& [name, id] : names) {
    const bool guaranteed_only = name == "cpu" || name == "memory" || name.starts_with("hugepages-");
    if (const auto known = node.find_resource(id))
      node.resources[*known].name = name;
    else
      node.resources.push_back({id, name, guaranteed_only});
  }
  std::stable_sort(node.resources.begin(), node.resources.end(),
                   [](const NumaNode::Resource& l, const NumaNode::Resource& r) { return rank_of(l.name) < rank_of(r.name); });
}

void take_zones(const NodeResourceTopology& topology, NumaNode& node, Interner<SymbolId>& symbols) {
  for (const auto& zone : topology.zones) {
    if (zone.type != "Node") continue;
    std::map<std::string_view, const NodeResourceTopology::Resource*> last;  // a name that comes twice counts as it came last
    for (const auto& resource : zone.resources) last[resource.name] = &resource;
    NumaNode::Zone& taken = node.zones.emplace_back();
    taken.name = zone.name;
    taken.allocatable.assign(node.resources.size(), 0);
    taken.available.assign(node.resources.size(), 0);
    for (const auto& [name, resource] : last) {
      const auto at = *node.find_resource(NumaAmounts::resource(name, symbols));
      taken.allocatable[at] += NumaAmounts::amount(name, resource->allocatable);
      taken.available[at] += NumaAmounts::amount(name, resource->available);
    }
  }
  std::stable_sort(node.zones.begin(), node.zones.end(), zone_before);
  for (std::size_t r = 0; r < node.resources.size(); ++r) {
    auto& most = node.widest.emplace_back();
    for (const auto& zone : node.zones) most.push_back(zone.allocatable[r]);
    std::sort(most.begin(), most.end(), std::greater<>());
    for (std::size_t i = 1; i < most.size(); ++i) most[i] += most[i - 1];
  }
}

}  // namespace

std::optional<std::size_t> NumaNode::find_zone(std::string_view name) const {
  const auto found = std::find_if(zones.begin(), zones.end(), [&](const Zone& zone) { return zone.name == name; });
  return found == zones.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - zones.begin()));
}

std::optional<std::size_t> NumaNode::find_resource(SymbolId id) const {
  const auto found = std::find_if(resources.begin(), resources.end(), [&](const Resource& resource) { return resource.id == id; });
  return found == resources.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - resources.begin()));
}

std::optional<NumaNode> numa_node_of(const NodeResourceTopology& topology, Interner<SymbolId>& symbols) {
  NumaNode node;
  take_policy(topology, node);
  take_resources(topology, node, symbols);
  take_zones(topology, node, symbols);
  return node.zones.empty() ? std::nullopt : std::optional(std::move(node));
}

}  // namespace muster::kai
