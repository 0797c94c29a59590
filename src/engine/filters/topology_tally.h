#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "engine/filters/topology.h"

namespace muster {

// Counts things (pods, mostly) per node, and through any division of the cluster per domain. Per-domain sums are kept up to date as
// single counts change, and made anew after the division itself has changed. A division of single nodes needs no sums.
class TopologyTally {
 public:
  void add(const Topology& topology, NodeId node, std::int32_t change);
  void clear();

  using ByNode = boost::unordered_flat_map<NodeId, std::int32_t, std::hash<NodeId>>;
  const ByNode& by_node() const { return by_node_; }
  std::int32_t at(NodeId node) const;

  // Things on nodes that are in some domain.
  std::int64_t total(const Topology& topology, TopologyKeyId key) { return view(topology, key).total; }
  // Things in each domain, counting only those on some nodes, or on all when `only` is null.
  void sum_domains(const Topology& topology, TopologyKeyId key, const Bitset* only, std::vector<std::int64_t>& sums);

  // Calls f(node, count) for every node whose domain holds something, with what that domain holds; in no particular order.
  template <class F>
  void for_each_near(const Topology& topology, TopologyKeyId key, F&& f) {
    const auto& seen = view(topology, key);
    const auto& domains = topology.domains(key);
    if (domains.single) {
      for (const auto& [node, count] : by_node_)
        if (domains.of_node[node]) f(node, std::int64_t{count});
      return;
    }
    for (std::size_t d = 0; d < seen.by_domain.size(); ++d)
      if (seen.by_domain[d] != 0)
        for (const auto node : domains.nodes(DomainId(d))) f(node, seen.by_domain[d]);
  }

 private:
  struct View {
    TopologyKeyId key;
    std::uint64_t stamp = 0;
    std::int64_t total = 0;
    std::vector<std::int64_t> by_domain;  // empty for a division of single nodes
    void count(const Domains& domains, NodeId node, std::int64_t change);
  };
  View& view(const Topology& topology, TopologyKeyId key);

  ByNode by_node_;  // no zeros
  std::vector<View> views_;
};

}  // namespace muster
