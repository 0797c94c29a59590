#include "policy/volcano/hyper_tree.h"

#include <algorithm>
#include <limits>

#include "model/name_pattern.h"

namespace muster::volcano {
namespace {

// Nobody has so many tiers; numbers beyond count as these, so that one can count up to them and the root can be above.
constexpr std::int64_t kHighestTier = std::int64_t{1} << 31;
constexpr std::int64_t kLowestTier = -kHighestTier;

}  // namespace

// Which known nodes a member stands for. Nodes are found by the labels that selectors ask for, once per label key.
class HyperTree::MemberNodes {
 public:
  explicit MemberNodes(const Books& books) : books_(books) {}

  void append(const HyperNodeMember& member, std::vector<NodeId>& nodes) {
    if (!member.exact.empty())
      append_named(member.exact, nodes);
    else if (!member.pattern.empty())
      append_matching(NamePattern(member.pattern), nodes);
    else if (member.selector && !member.selector->requirements.empty())  // an empty selector selects nobody
      append_labelled(*member.selector, nodes);
  }

 private:
  using ByValue = std::map<std::string, std::vector<NodeId>, std::less<>>;

  void append_named(const std::string& name, std::vector<NodeId>& nodes) const {
    if (const auto node = books_.find_node(name); node && books_.node(node).known) nodes.push_back(node);
  }

  void append_matching(const NamePattern& pattern, std::vector<NodeId>& nodes) const {
    for (const auto node : IdRange<NodeId>(books_.node_count()))
      if (books_.node(node).known && pattern.matches(books_.node(node).name)) nodes.push_back(node);
  }

  void append_labelled(const LabelSelector& selector, std::vector<NodeId>& nodes) {
    const auto check = [&](NodeId node) {
      if (selector.matches(books_.node(node).labels)) nodes.push_back(node);
    };
    const auto& first = selector.requirements.front();
    if (first.op == SelectorOp::kIn && first.values.size() == 1) {
      const auto& known = by_value(first.key);
      if (const auto found = known.find(first.values.front()); found != known.end())
        std::for_each(found->second.begin(), found->second.end(), check);
      return;
    }
    for (const auto node : IdRange<NodeId>(books_.node_count()))
      if (books_.node(node).known) check(node);
  }

  const ByValue& by_value(const std::string& key) {
    const auto [place, added] = labels_.try_emplace(key);
    if (added)
      for (const auto node : IdRange<NodeId>(books_.node_count()))
        if (const auto* value = books_.node(node).labels.find(key); value != nullptr && books_.node(node).known)
          place->second[*value].push_back(node);
    return place->second;
  }

  const Books& books_;
  std::map<std::string, ByValue> labels_;
};

HyperTree::HyperTree() { intern(std::string(kRootName)); }

HyperNodeId HyperTree::intern(const std::string& name) {
  const auto id = names_.intern(name);
  if (domains_.size() < names_.size()) {
    domains_.resize(names_.size());
    objects_.resize(names_.size());
  }
  return id;
}

void HyperTree::set(const HyperNode& object) {
  if (object.meta.name == kRootName) return;  // no object can have this name, and the root is nobody's to change
  const auto id = intern(object.meta.name);
  if (!objects_[id]) real_.push_back(id);
  objects_[id] = object;
  for (const auto& member : object.members)
    if (member.type == HyperNodeMember::Type::kHyperNode && !member.exact.empty()) intern(member.exact);
  stale_ = true;
}

void HyperTree::remove(std::string_view name) {
  const auto id = find(name);
  if (!id || !objects_[id]) return;
  objects_[id].reset();
  std::erase(real_, id);
  stale_ = true;
}

void HyperTree::update(const Books& books) {
  if (!stale_ && facts_ == books.node_facts_version() && node_count_ == books.node_count()) return;
  stale_ = false;
  facts_ = books.node_facts_version();
  node_count_ = books.node_count();
  ++version_;
  conflict_.reset();
  tier_names_.clear();
  std::sort(real_.begin(), real_.end(), [&](HyperNodeId l, HyperNodeId r) { return name(l) < name(r); });
  for (auto& domain : domains_) domain = Domain{};
  MemberNodes members(books);
  link(members);
  cut_cycles();
  add_root(books);
  gather_nodes(root());
  list_holders(books.node_count());
}

// Of two parents that claim a child the first keeps it, and what the second lists after that child is lost to it.
void HyperTree::link(MemberNodes& members) {
  for (const auto id : real_) {
    const auto& object = *objects_[id];
    domains_[id].exists = true;
    const auto tier = std::clamp(object.tier, kLowestTier, kHighestTier);
    domains_[id].tier = tier;
    if (!object.tier_name.empty()) tier_names_[object.tier_name] = tier;
  }
  for (const auto id : real_) {
    for (const auto& member : objects_[id]->members) {
      if (member.type == HyperNodeMember::Type::kNode) {
        members.append(member, domains_[id].nodes);
        continue;
      }
      if (member.exact.empty()) continue;
      const auto child = names_.find(member.exact);
      if (child == root() || (domains_[child].parent && domains_[child].parent != id)) {
        contradict({domains_[child].parent, id, child});
        break;
      }
      adopt(id, child);
    }
  }
}

void HyperTree::adopt(HyperNodeId parent, HyperNodeId child) {
  auto& domain = domains_[child];
  domain.exists = true;  // at least as a name
  if (domain.parent == parent) return;
  domain.parent = parent;
  domains_[parent].children.push_back(child);
}

// Follows parents up from everywhere, each domain once. Whoever meets its own path again closes a cycle and loses its parent.
void HyperTree::cut_cycles() {
  IdVector<HyperNodeId, std::uint32_t> seen_from(domains_.size(), 0);
  std::uint32_t walk = 0;
  for (const auto start : real_) {
    ++walk;
    for (auto at = start; at && seen_from[at] == 0;) {
      seen_from[at] = walk;
      const auto parent = domains_[at].parent;
      if (parent && seen_from[parent] == walk) {
        contradict({at, parent, HyperNodeId()});
        std::erase(domains_[parent].children, at);
        domains_[at].parent = HyperNodeId();
      }
      at = parent;
    }
  }
}

void HyperTree::add_root(const Books& books) {
  tiers_.clear();
  for (const auto id : real_) tiers_.push_back(domains_[id].tier);
  std::sort(tiers_.begin(), tiers_.end());
  tiers_.erase(std::unique(tiers_.begin(), tiers_.end()), tiers_.end());
  auto& top = domains_[root()];
  top.exists = true;
  top.tier = tiers_.empty() || tiers_.back() < 1 ? 1 : tiers_.back() + 1;
  tiers_.push_back(top.tier);
  for (const auto id : real_)  // whoever has no object has a parent that lists it
    if (!domains_[id].parent) adopt(root(), id);
  for (const auto node : IdRange<NodeId>(books.node_count()))
    if (books.node(node).known) top.nodes.push_back(node);
}

// A domain has the nodes of its children as well. Children come before parents, without recursion: trees may be deep.
void HyperTree::gather_nodes(HyperNodeId id) {
  std::vector<HyperNodeId> order{id};
  for (std::size_t i = 0; i < order.size(); ++i)
    order.insert(order.end(), domains_[order[i]].children.begin(), domains_[order[i]].children.end());
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    auto& nodes = domains_[*at].nodes;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const auto parent = domains_[*at].parent;
    if (!parent || parent == root()) continue;  // the root has every node already
    auto& above = domains_[parent].nodes;
    above.insert(above.end(), nodes.begin(), nodes.end());
  }
}

void HyperTree::list_holders(std::size_t node_count) {
  auto order = real_;
  std::stable_sort(order.begin(), order.end(), [&](HyperNodeId l, HyperNodeId r) { return tier(l) < tier(r); });
  order.push_back(root());
  holders_.assign(node_count, {});
  for (const auto id : order)
    for (const auto node : domains_[id].nodes) holders_[node].push_back(id);
  lowest_.assign(node_count, HyperNodeId());
  for (const auto node : domains_[root()].nodes)
    if (const auto first = holders_[node].front(); tier(first) == tiers_.front()) lowest_[node] = first;
}

std::optional<std::int64_t> HyperTree::tier_named(std::string_view name) const {
  const auto found = tier_names_.find(name);
  return found == tier_names_.end() ? std::nullopt : std::optional(found->second);
}

const Bitset& HyperTree::node_set(HyperNodeId id) const {
  const auto& domain = domains_[id];
  if (!domain.has_set) {
    domain.has_set = true;
    domain.set.resize(node_count_);
    for (const auto node : domain.nodes) domain.set.set(node.index());
  }
  return domain.set;
}

bool HyperTree::contains(HyperNodeId id, NodeId node) const {
  const auto& all = holders_[node];
  return std::find(all.begin(), all.end(), id) != all.end();
}

HyperNodeId HyperTree::common(HyperNodeId left, HyperNodeId right) const {
  if (!left || !right) return left ? left : right;
  for (auto at = right; at; at = parent(at))
    if (within(left, at)) return at;
  return {};
}

bool HyperTree::within(HyperNodeId inner, HyperNodeId outer) const {
  for (auto at = inner; at; at = parent(at))
    if (at == outer) return true;
  return false;
}

}  // namespace muster::volcano
