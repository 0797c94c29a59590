#pragma once

#include <string>
#include <vector>

#include "engine/books.h"
#include "model/kai_objects.h"

namespace muster::kai {

using DomainId = StrongId<struct TreeDomainTag>;

// The domains of one Topology over the nodes that carry all its labels. The root is a domain above the widest level.
class TopologyTree {
 public:
  struct Domain {
    std::string name;       // label values from the widest level down, with dots between
    std::size_t level = 0;  // 0: the root; else the level's place in the Topology, from 1
    std::vector<DomainId> children;
    std::vector<NodeId> nodes;  // by name
  };

  // `nodes` by name.
  TopologyTree(const KaiTopology& topology, const Books& books, const std::vector<NodeId>& nodes);

  DomainId root() const { return DomainId(0); }
  Domain& operator[](DomainId id) { return domains_[id]; }
  const Domain& operator[](DomainId id) const { return domains_[id]; }
  std::size_t size() const { return domains_.size(); }
  std::size_t deepest_level() const { return labels_.size(); }
  // The level that a label or an alias names; 0: none.
  std::size_t find_level(const std::string& label_or_alias) const;
  bool covers(NodeId node) const { return leaf_of_.contains(node) && leaf_of_[node]; }
  // The deepest domain that holds all these nodes, none of which need be covered, and that is not below `deepest`.
  DomainId common_domain(const std::vector<NodeId>& nodes, std::size_t deepest) const;
  // All domains, deepest level first, and in each in the order of the tree.
  std::vector<DomainId> bottom_up() const;
  // The domains of a level below one, in the order of the tree.
  std::vector<DomainId> at_level(DomainId below, std::size_t level) const;

 private:
  std::vector<std::string> labels_, aliases_;
  IdVector<DomainId, Domain> domains_;
  IdVector<DomainId, DomainId> parents_;
  IdVector<NodeId, DomainId> leaf_of_;
};

}  // namespace muster::kai
