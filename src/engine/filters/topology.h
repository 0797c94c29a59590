#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "base/bitset.h"
#include "base/interner.h"
#include "engine/books.h"
#include "engine/filters/node_facts.h"

namespace muster {

using TopologyKeyId = StrongId<struct TopologyKeyTag>;  // a node label that divides the cluster, such as a zone
using DomainId = StrongId<struct DomainTag>;            // one value of such a label

// The division of the nodes by one label. Nodes without the label are in no domain.
struct Domains {
  IdVector<NodeId, DomainId> of_node;
  std::vector<std::uint32_t> starts;  // where each domain's members begin, and one past the end
  std::vector<NodeId> members;
  std::vector<Bitset> sets;  // the members as sets, while there are few domains; else empty
  Bitset labelled;           // nodes in some domain
  bool single = true;        // no domain has two nodes
  std::uint64_t stamp = 0;   // another one for every division

  std::size_t count() const { return starts.size() - 1; }
  std::span<const NodeId> nodes(DomainId domain) const {
    const auto d = domain.index();
    return std::span(members).subspan(starts[d], starts[d + 1] - starts[d]);
  }
  // Adds a domain's nodes to a set.
  void add_nodes(DomainId domain, Bitset& to) const {
    if (!sets.empty()) return static_cast<void>(to |= sets[domain.index()]);
    for (const auto node : nodes(domain)) to.set(node.index());
  }
};

// How the cluster's nodes fall into domains, for every label that somebody asked about.
class Topology {
 public:
  explicit Topology(const Books& books) : books_(books) {}

  TopologyKeyId key(std::string_view label);
  const std::string& label(TopologyKeyId key) const { return keys_.text(key); }
  // As of now; the reference stays, its contents change with the nodes.
  const Domains& domains(TopologyKeyId key) const;

 private:
  void divide(TopologyKeyId key, Domains& into) const;

  const Books& books_;
  Interner<TopologyKeyId> keys_;
  std::deque<DerivedFromNodes<Domains>> domains_;
  mutable std::uint64_t stamps_ = 0;
};

}  // namespace muster
