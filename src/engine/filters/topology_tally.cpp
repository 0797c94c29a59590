#include "engine/filters/topology_tally.h"

#include <algorithm>

namespace muster {

void TopologyTally::add(const Topology& topology, NodeId node, std::int32_t change) {
  const auto at = by_node_.try_emplace(node, 0).first;
  at->second += change;
  if (at->second == 0) by_node_.erase(at);
  for (auto& view : views_) {
    const auto& domains = topology.domains(view.key);
    if (view.stamp == domains.stamp) view.count(domains, node, change);
  }
}

void TopologyTally::clear() {
  by_node_.clear();
  views_.clear();
}

std::int32_t TopologyTally::at(NodeId node) const {
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? 0 : found->second;
}

void TopologyTally::sum_domains(const Topology& topology, TopologyKeyId key, const Bitset* only, std::vector<std::int64_t>& sums) {
  const auto& domains = topology.domains(key);
  if (only == nullptr && !domains.single) {
    sums = view(topology, key).by_domain;
    return;
  }
  sums.assign(domains.count(), 0);
  for (const auto& [node, count] : by_node_) {
    const auto domain = domains.of_node[node];
    if (domain && (only == nullptr || only->test(node.index()))) sums[domain.index()] += count;
  }
}

void TopologyTally::View::count(const Domains& domains, NodeId node, std::int64_t change) {
  const auto domain = domains.of_node[node];
  if (!domain) return;
  total += change;
  if (!domains.single) by_domain[domain.index()] += change;
}

TopologyTally::View& TopologyTally::view(const Topology& topology, TopologyKeyId key) {
  auto found = std::find_if(views_.begin(), views_.end(), [&](const View& view) { return view.key == key; });
  if (found == views_.end()) found = views_.insert(found, View{key, 0, 0, {}});
  const auto& domains = topology.domains(key);
  if (found->stamp == domains.stamp) return *found;
  found->stamp = domains.stamp;
  found->total = 0;
  found->by_domain.assign(domains.single ? 0 : domains.count(), 0);
  for (const auto& [node, count] : by_node_) found->count(domains, node, count);
  return *found;
}

}  // namespace muster
