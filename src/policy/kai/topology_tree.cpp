#include "policy/kai/topology_tree.h"

#include <algorithm>
#include <map>

namespace muster::kai {

TopologyTree::TopologyTree(const KaiTopology& topology, const Books& books, const std::vector<NodeId>& nodes) {
  for (const auto& level : topology.levels) {
    labels_.push_back(level.node_label);
    aliases_.push_back(level.alias);
  }
  domains_.push_back({"root", 0, {}, {}});
  parents_.push_back(DomainId());
  leaf_of_.assign(books.node_count(), DomainId());
  std::map<std::pair<std::size_t, std::string>, DomainId> known;
  for (const auto node : nodes) {
    const auto& own = books.node(node).labels;
    if (!std::all_of(labels_.begin(), labels_.end(), [&](const std::string& label) { return own.contains(label); })) continue;
    auto at = root();
    domains_[at].nodes.push_back(node);
    std::string name;
    for (std::size_t level = 1; level <= labels_.size(); ++level) {
      name.append(level == 1 ? "" : ".").append(own.get(labels_[level - 1]));
      auto& id = known[{level, name}];
      if (!id) {
        id = domains_.push_back({name, level, {}, {}});
        parents_.push_back(at);
        domains_[at].children.push_back(id);
      }
      at = id;
      domains_[at].nodes.push_back(node);
    }
    leaf_of_[node] = at;
  }
}

std::size_t TopologyTree::find_level(const std::string& label_or_alias) const {
  for (std::size_t i = 0; i < labels_.size(); ++i)
    if (labels_[i] == label_or_alias || (!aliases_[i].empty() && aliases_[i] == label_or_alias)) return i + 1;
  return 0;
}

DomainId TopologyTree::common_domain(const std::vector<NodeId>& nodes, std::size_t deepest) const {
  const auto path_of = [&](NodeId node) {
    std::vector<DomainId> path;
    for (auto at = leaf_of_[node]; at; at = parents_[at]) path.push_back(at);
    std::reverse(path.begin(), path.end());
    return path;
  };
  std::vector<DomainId> common;
  bool first = true;
  for (const auto node : nodes) {
    if (!covers(node)) continue;
    const auto path = path_of(node);
    if (first) common = path;
    first = false;
    const auto end = std::mismatch(common.begin(), common.end(), path.begin(), path.end()).first;
    common.erase(end, common.end());
  }
  if (common.empty()) return root();
  return common[std::min(common.size() - 1, deepest)];
}

std::vector<DomainId> TopologyTree::bottom_up() const {
  std::vector<std::vector<DomainId>> levels = {{root()}};
  while (!levels.back().empty()) {
    std::vector<DomainId> next;
    for (const auto id : levels.back()) next.insert(next.end(), domains_[id].children.begin(), domains_[id].children.end());
    levels.push_back(std::move(next));
  }
  std::vector<DomainId> all;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) all.insert(all.end(), level->begin(), level->end());
  return all;
}

std::vector<DomainId> TopologyTree::at_level(DomainId below, std::size_t level) const {
  if (domains_[below].level == level) return {below};
  std::vector<DomainId> found;
  for (const auto child : domains_[below].children) {
    const auto inner = at_level(child, level);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found;
}

}  // namespace muster::kai
