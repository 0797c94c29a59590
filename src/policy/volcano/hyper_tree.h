#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bitset.h"
#include "base/interner.h"
#include "engine/books.h"
#include "model/objects.h"

namespace muster::volcano {

using HyperNodeId = StrongId<struct HyperNodeTag>;

// The HyperNodes of a cluster: topology domains, nested, below a virtual root that holds every node. Lower tiers are closer
// together. Objects come in by set(); update() works the tree out, and only when an object or a fact about nodes has changed. An id
// stays with its name for good, whether or not a HyperNode of that name exists at the time. Names, not the order of arrival, decide
// what comes first.
class HyperTree {
 public:
  static constexpr std::string_view kRootName = "<cluster-top-hypernode>";

  HyperTree();

  void set(const HyperNode& object);
  void remove(std::string_view name);
  void update(const Books& books);

  // The first two domains that contradict each other: both list the child, or, without a child, each is above the other.
  struct Conflict {
    HyperNodeId left, right, child;
  };
  // False while objects contradict each other. Jobs with a topology wait then.
  bool ready() const { return !conflict_; }
  const std::optional<Conflict>& conflict() const { return conflict_; }
  // Whether there is nothing but the root.
  bool bare() const { return tiers_.size() == 1; }
  // Changes with every update() that did something.
  std::uint64_t version() const { return version_; }

  static HyperNodeId root() { return HyperNodeId(0); }
  std::size_t size() const { return domains_.size(); }
  // An object, the root, or a name that a parent lists and that has no object yet: a domain without nodes.
  bool exists(HyperNodeId id) const { return domains_.contains(id) && domains_[id].exists; }
  HyperNodeId find(std::string_view name) const { return names_.find(name); }
  const std::string& name(HyperNodeId id) const { return names_.text(id); }
  std::int64_t tier(HyperNodeId id) const { return domains_[id].tier; }
  HyperNodeId parent(HyperNodeId id) const { return domains_[id].parent; }  // none for the root
  const std::vector<HyperNodeId>& children(HyperNodeId id) const { return domains_[id].children; }
  // Every tier in use, ascending; the root's is the last.
  const std::vector<std::int64_t>& tiers() const { return tiers_; }
  std::optional<std::int64_t> tier_named(std::string_view name) const;

  // The nodes of a domain that the cluster knows, ascending.
  const std::vector<NodeId>& nodes(HyperNodeId id) const { return domains_[id].nodes; }
  const Bitset& node_set(HyperNodeId id) const;
  // The same, where no set stands for all nodes.
  const Bitset* limit(HyperNodeId id) const { return id == root() ? nullptr : &node_set(id); }
  bool contains(HyperNodeId id, NodeId node) const;
  // The domains that hold a node, lowest tier first; the root is the last.
  const std::vector<HyperNodeId>& holders(NodeId node) const { return holders_[node]; }
  // The domain of the lowest tier in use that holds the node; none if only higher ones do.
  HyperNodeId lowest(NodeId node) const { return lowest_[node]; }
  // The lowest domain that holds both; "none" takes no part.
  HyperNodeId common(HyperNodeId left, HyperNodeId right) const;
  bool within(HyperNodeId inner, HyperNodeId outer) const;

 private:
  struct Domain {
    bool exists = false;
    std::int64_t tier = 0;
    HyperNodeId parent;
    std::vector<HyperNodeId> children;
    std::vector<NodeId> nodes;
    mutable Bitset set;  // made on first use
    mutable bool has_set = false;
  };
  class MemberNodes;

  HyperNodeId intern(const std::string& name);
  void link(MemberNodes& members);
  void adopt(HyperNodeId parent, HyperNodeId child);
  void cut_cycles();
  void contradict(Conflict conflict) {
    if (!conflict_) conflict_ = conflict;
  }
  void add_root(const Books& books);
  void gather_nodes(HyperNodeId id);
  void list_holders(std::size_t node_count);

  Interner<HyperNodeId> names_;
  IdVector<HyperNodeId, Domain> domains_;
  std::vector<HyperNodeId> real_;  // those that have an object; by name, once updated
  IdVector<HyperNodeId, std::optional<HyperNode>> objects_;
  std::map<std::string, std::int64_t, std::less<>> tier_names_;
  std::vector<std::int64_t> tiers_;
  IdVector<NodeId, std::vector<HyperNodeId>> holders_;
  IdVector<NodeId, HyperNodeId> lowest_;
  std::size_t node_count_ = 0;
  std::optional<Conflict> conflict_;
  bool stale_ = true;
  std::uint64_t facts_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace muster::volcano
