#include "engine/filters/topology_tally.h"

#include <algorithm>

namespace muster {

void TopologyTally::add(const Topology& topology, NodeId node, std::int32_t change) {
  by_node_.add(node, change);
  for (auto& view : views_) {
    const auto& domains = topology.domains(view.key);
    if (view.stamp == domains.stamp) view.count(domains, node, change);
  }
}

void TopologyTally::clear() {
  by_node_.clear();
  views_.clear();
}

void TopologyTally::mark_near(const Topology& topology, TopologyKeyId key, Bitset& to) {
  const auto& domains = topology.domains(key);
  if (domains.single) {
    const auto& counted = by_node_.counted().words();
    const auto words = std::min(counted.size(), to.words().size());
    for (std::size_t w = 0; w < words; ++w) to.words()[w] |= counted[w] & domains.labelled.words()[w];
    return;
  }
  const auto& sums = view(topology, key).by_domain;
  for (std::size_t d = 0; d < sums.size(); ++d)
    if (sums[d] != 0) domains.add_nodes(DomainId(d), to);
}

void TopologyTally::add_points(const Topology& topology, TopologyKeyId key, std::int64_t weight,
                               std::vector<std::int64_t>& points) {
  const auto& domains = topology.domains(key);
  if (domains.single) {
    by_node_.for_each([&](NodeId node, std::int32_t count) {
      if (domains.labelled.test(node.index())) points[node.index()] += weight * count;
    });
    return;
  }
  const auto& sums = view(topology, key).by_domain;
  for (std::size_t d = 0; d < sums.size(); ++d)
    if (sums[d] != 0)
      for (const auto node : domains.nodes(DomainId(d))) points[node.index()] += weight * sums[d];
}

void TopologyTally::sum_domains(const Topology& topology, TopologyKeyId key, const Bitset* only, std::vector<std::int64_t>& sums) {
  const auto& domains = topology.domains(key);
  if (only == nullptr && !domains.single) {
    sums = view(topology, key).by_domain;
    return;
  }
  if (only == nullptr) only = &domains.labelled;
  sums.assign(domains.count(), 0);
  by_node_.for_each([&](NodeId node, std::int32_t count) {
    if (only->test(node.index())) sums[domains.of_node[node].index()] += count;
  });
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
  by_node_.for_each([&](NodeId node, std::int32_t count) { found->count(domains, node, count); });
  return *found;
}

}  // namespace muster
