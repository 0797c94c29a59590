#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/books.h"
#include "model/kai_objects.h"

namespace muster::kai {

using DomainId = StrongId<struct TopologyDomainTag>;

// The nodes that carry the same labels of a topology, down to one of its levels.
struct Domain {
  std::string name;       // these labels' values, widest first, joined by dots
  std::size_t depth = 0;  // 0: all nodes of the topology
  DomainId parent;        // none: all nodes
  bool has_value = true;  // its own label is not empty
  std::vector<DomainId> children;
  std::vector<NodeId> nodes;  // by name
};

// A topology over the nodes of a cluster: a tree of domains, whose root is all nodes that carry every label of it. A node that
// lacks one is no part of it, whatever else it carries.
class DomainTree {
 public:
  static constexpr std::string_view kRoot = "root";

  // `nodes` by name.
  DomainTree(const KaiTopology& topology, const Books& books, std::span<const NodeId> nodes);

  DomainId root() const { return DomainId(0); }
  std::size_t size() const { return domains_.size(); }
  const Domain& operator[](DomainId id) const { return domains_[id]; }
  // How many levels there are below the root.
  std::size_t levels() const { return labels_.size(); }
  // The depth of the level with that node label; none: there is no such level.
  std::optional<std::size_t> depth_of(std::string_view label) const;
  const std::vector<DomainId>& at_depth(std::size_t depth) const { return by_depth_[depth]; }
  // The domain of a node at a depth; none: the node is no part of the topology.
  DomainId domain_of(NodeId node, std::size_t depth) const {
    return node.index() < leaf_.size() && leaf_[node] ? path_[depth][node] : DomainId();
  }
  // The deepest domain, down to a depth, in which all of the nodes are that are in any.
  DomainId common(std::span<const NodeId> nodes, std::size_t deepest) const;
  bool is_within(DomainId domain, DomainId outer) const;

 private:
  void add(NodeId node, const Books& books);
  DomainId child(DomainId parent, const std::string& value, std::size_t depth);

  std::vector<std::string> labels_;
  IdVector<DomainId, Domain> domains_;
  std::vector<std::vector<DomainId>> by_depth_;
  IdVector<NodeId, DomainId> leaf_;
  std::vector<IdVector<NodeId, DomainId>> path_;                            // by depth
  std::vector<boost::unordered_flat_map<std::string, DomainId>> children_;  // by domain and value, while the tree is made
};

}  // namespace muster::kai
