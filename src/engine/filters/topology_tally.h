#pragma once

#include <vector>

#include "engine/filters/node_counts.h"
#include "engine/filters/topology.h"

namespace muster {

// Counts things (pods, mostly) per node, and through any division of the cluster per domain. Per-domain sums are kept up to date as
// single counts change, and made anew after the division itself has changed. A division of single nodes needs no sums.
class TopologyTally {
 public:
  void add(const Topology& topology, NodeId node, std::int32_t change);
  void clear();

  const NodeCounts& by_node() const { return by_node_; }
  // Things on nodes that are in some domain.
  std::int64_t total(const Topology& topology, TopologyKeyId key) { return view(topology, key).total; }

  // Adds to `to` every node whose domain holds something.
  void mark_near(const Topology& topology, TopologyKeyId key, Bitset& to);
  // Adds to each node `weight` times what its domain holds.
  void add_points(const Topology& topology, TopologyKeyId key, std::int64_t weight, std::vector<std::int64_t>& points);
  // Things in each domain, counting only those on some nodes, or on all when `only` is null.
  void sum_domains(const Topology& topology, TopologyKeyId key, const Bitset* only, std::vector<std::int64_t>& sums);

 private:
  struct View {
    TopologyKeyId key;
    std::uint64_t stamp = 0;
    std::int64_t total = 0;
    std::vector<std::int64_t> by_domain;  // empty for a division of single nodes
    void count(const Domains& domains, NodeId node, std::int64_t change);
  };
  View& view(const Topology& topology, TopologyKeyId key);

  NodeCounts by_node_;
  std::vector<View> views_;
};

}  // namespace muster
