#include "engine/filters/topology.h"

#include <algorithm>

namespace muster {
namespace {

// With more domains than this their sets would cost more memory and time than lists.
constexpr std::size_t kMostSets = 256;

}  // namespace

TopologyKeyId Topology::key(std::string_view label) {
  const auto id = keys_.intern(label);
  if (domains_.size() < keys_.size()) domains_.emplace_back();
  return id;
}

const Domains& Topology::domains(TopologyKeyId key) const {
  return domains_[key.index()].get(books_, [&](Domains& into) { divide(key, into); });
}

// Domains are numbered in the order of their first node; members are sorted into them by counting.
void Topology::divide(TopologyKeyId key, Domains& into) const {
  const auto nodes = books_.node_count();
  into.of_node.assign(nodes, DomainId());
  into.labelled.resize(nodes);
  into.starts.assign(1, 0);
  boost::unordered_flat_map<std::string_view, DomainId> values;
  for (const auto node : IdRange<NodeId>(nodes)) {
    const auto* value = books_.node(node).known ? books_.node(node).labels.find(keys_.text(key)) : nullptr;
    if (value == nullptr) continue;
    const auto [found, added] = values.try_emplace(*value, DomainId(values.size()));
    if (added) into.starts.push_back(0);
    into.of_node[node] = found->second;
    into.labelled.set(node.index());
    ++into.starts[found->second.index() + 1];
  }
  into.single = std::all_of(into.starts.begin(), into.starts.end(), [](auto size) { return size <= 1; });
  for (std::size_t d = 1; d < into.starts.size(); ++d) into.starts[d] += into.starts[d - 1];
  into.members.resize(into.starts.back());
  auto next = into.starts;
  into.labelled.for_each([&](std::size_t n) { into.members[next[into.of_node[NodeId(n)].index()]++] = NodeId(n); });
  into.sets.clear();
  if (!into.single && into.count() <= kMostSets) {
    into.sets.resize(into.count(), Bitset(nodes));
    into.labelled.for_each([&](std::size_t n) { into.sets[into.of_node[NodeId(n)].index()].set(n); });
  }
  into.stamp = ++stamps_;
}

}  // namespace muster
