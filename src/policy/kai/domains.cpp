#include "policy/kai/domains.h"

#include <algorithm>

namespace muster::kai {

DomainTree::DomainTree(const KaiTopology& topology, const Books& books, std::span<const NodeId> nodes) {
  for (const auto& level : topology.levels) labels_.push_back(level.node_label);
  by_depth_.resize(levels() + 1);
  leaf_.assign(books.node_count(), DomainId());
  path_.assign(levels() + 1, IdVector<NodeId, DomainId>(books.node_count()));
  Domain all;
  all.name = kRoot;
  by_depth_[0].push_back(domains_.push_back(std::move(all)));
  children_.resize(1);
  for (const auto node : nodes) add(node, books);
  children_.clear();
}

void DomainTree::add(NodeId node, const Books& books) {
  const auto& labels = books.node(node).labels;
  if (!std::all_of(labels_.begin(), labels_.end(), [&](const std::string& label) { return labels.contains(label); })) return;
  auto at = root();
  for (std::size_t depth = 0;; ++depth) {
    path_[depth][node] = at;
    domains_[at].nodes.push_back(node);
    if (depth == levels()) break;
    at = child(at, *labels.find(labels_[depth]), depth + 1);
  }
  leaf_[node] = at;
}

DomainId DomainTree::child(DomainId parent, const std::string& value, std::size_t depth) {
  const auto [known, is_new] = children_[parent.index()].try_emplace(value);
  if (!is_new) return known->second;
  Domain domain;
  domain.name = depth == 1 ? value : domains_[parent].name + "." + value;
  domain.depth = depth;
  domain.parent = parent;
  domain.has_value = !value.empty();
  const auto id = domains_.push_back(std::move(domain));
  known->second = id;
  children_.emplace_back();
  domains_[parent].children.push_back(id);
  by_depth_[depth].push_back(id);
  return id;
}

std::optional<std::size_t> DomainTree::depth_of(std::string_view label) const {
  if (label.empty()) return std::nullopt;
  const auto found = std::find(labels_.begin(), labels_.end(), label);
  if (found != labels_.end()) return static_cast<std::size_t>(found - labels_.begin()) + 1;
  return label == kRoot ? std::optional<std::size_t>(0) : std::nullopt;
}

DomainId DomainTree::common(std::span<const NodeId> nodes, std::size_t deepest) const {
  DomainId shared;
  for (const auto node : nodes) {
    const auto limit = shared ? domains_[shared].depth : std::min(deepest, levels());
    auto at = domain_of(node, limit);
    if (!at) continue;
    if (!shared) shared = at;
    while (at != shared) {
      at = domains_[at].parent;
      shared = domains_[shared].parent;
    }
    if (shared == root()) return shared;
  }
  if (!shared) return root();
  // An empty label is nothing to have in common, nor is anything below it.
  for (auto at = shared; at; at = domains_[at].parent)
    if (!domains_[at].has_value) shared = domains_[at].parent;
  return shared;
}

bool DomainTree::is_within(DomainId domain, DomainId outer) const {
  while (domain && domains_[domain].depth > domains_[outer].depth) domain = domains_[domain].parent;
  return domain == outer;
}

}  // namespace muster::kai
