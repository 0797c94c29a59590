#include "policy/kai/sub_groups.h"

#include <algorithm>
#include <map>

namespace muster::kai {
namespace {

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return text;
}

std::string parent_of(const KaiSubGroup& group) { return group.parent ? lower(*group.parent) : std::string(); }

}  // namespace

SubGroups::SubGroups() { reset(1, {}); }

SubGroups::SubGroups(const KaiPodGroup& group) {
  if (group.sub_groups.empty())
    reset(std::max(0, group.min_member.value_or(1)), group.constraint);
  else if (!build(group))
    reset(1, {});
}

SubGroupId SubGroups::add(SubGroup node) {
  const auto parent = node.parent;
  const bool is_pod_set = node.is_pod_set;
  node.written = node.constraint;
  const auto id = nodes_.push_back(std::move(node));
  if (parent) nodes_[parent].children.push_back(id);
  if (is_pod_set) pod_sets_.push_back(id);
  return id;
}

void SubGroups::reset(std::int32_t minimum, const KaiTopologyConstraint& constraint) {
  nodes_.clear();
  pod_sets_.clear();
  SubGroup root;
  root.constraint = constraint;
  root.minimum = 1;
  const auto top = add(std::move(root));
  SubGroup pods;
  pods.name = kDefault;
  pods.parent = top;
  pods.is_pod_set = true;
  pods.minimum = minimum;
  add(std::move(pods));
}

bool SubGroups::build(const KaiPodGroup& group) {
  std::map<std::string, const KaiSubGroup*> by_name;
  std::map<std::string, std::vector<const KaiSubGroup*>> members;
  for (const auto& part : group.sub_groups) {
    if (part.name.empty() || !by_name.emplace(part.name, &part).second) return false;
    members[parent_of(part)].push_back(&part);
  }
  for (const auto& [parent, parts] : members)
    if (!parent.empty() && !by_name.contains(parent)) return false;

  const auto of_set = [&](const std::string& name, const std::optional<std::int32_t>& wanted) {
    return std::max(0, wanted.value_or(static_cast<std::int32_t>(members[name].size())));
  };
  SubGroup root;
  root.constraint = group.constraint;
  root.minimum = of_set("", group.min_sub_group);
  std::vector<std::pair<std::string, SubGroupId>> open = {{"", add(std::move(root))}};
  for (std::size_t next = 0; next < open.size(); ++next) {
    const auto [name, id] = open[next];
    for (const auto* part : members[name]) {
      SubGroup node;
      node.name = part->name;
      node.parent = id;
      node.constraint = part->constraint;
      node.is_pod_set = !members.contains(part->name);
      node.minimum = node.is_pod_set ? std::max(0, part->min_member.value_or(0)) : of_set(part->name, part->min_sub_group);
      const bool is_set = !node.is_pod_set;
      const auto added = add(std::move(node));
      if (is_set) open.emplace_back(part->name, added);
    }
  }
  return nodes_.size() == group.sub_groups.size() + 1;  // else some hang together in a ring
}

SubGroupId SubGroups::find_pod_set(std::string_view label) const {
  const auto wanted = label.empty() ? kDefault : label;
  for (const auto id : pod_sets_)
    if (nodes_[id].name == wanted) return id;
  return SubGroupId();
}

SubGroups SubGroups::bare() const {
  SubGroups tree = *this;
  for (auto& node : tree.nodes_) {
    node.pods.clear();
    node.count = {};
    node.active_allocated = node.active_used = node.alive = 0;
  }
  return tree;
}

void SubGroups::count(SubGroup& pod_set, Status status, std::uint32_t by) {
  pod_set.count[static_cast<std::size_t>(status)] += by;
  if (kActiveAllocated.contains(status)) pod_set.active_allocated += by;
  if (kActiveUsed.contains(status)) pod_set.active_used += by;
  if (kAlive.contains(status)) pod_set.alive += by;
}

void SubGroups::resolve_levels(const std::map<std::string, KaiTopology>& topologies) {
  for (auto& node : nodes_) {
    if (node.written.topology.empty()) continue;
    node.constraint = node.written;
    const auto topology = topologies.find(node.written.topology);
    if (topology == topologies.end()) continue;
    for (auto* level : {&node.constraint.required_level, &node.constraint.preferred_level})
      for (const auto& known : topology->second.levels)
        if (!known.alias.empty() && known.alias == *level) {
          *level = known.node_label;
          break;
        }
  }
}

void SubGroups::add_pod(SubGroupId id, PodId pod, Status status) {
  nodes_[id].pods.push_back(pod);
  count(nodes_[id], status, 1);
}

void SubGroups::remove_pod(SubGroupId id, PodId pod, Status status) {
  auto& pods = nodes_[id].pods;
  pods.erase(std::find(pods.begin(), pods.end(), pod));
  count(nodes_[id], status, static_cast<std::uint32_t>(-1));
}

void SubGroups::change(SubGroupId id, Status from, Status to) {
  count(nodes_[id], from, static_cast<std::uint32_t>(-1));
  count(nodes_[id], to, 1);
}

std::int32_t SubGroups::satisfied_members(SubGroupId set) const {
  const auto& members = nodes_[set].children;
  return static_cast<std::int32_t>(std::count_if(members.begin(), members.end(), [&](SubGroupId id) { return satisfied(id); }));
}

bool SubGroups::satisfied(SubGroupId id) const {
  const auto& node = nodes_[id];
  return node.is_pod_set ? node.pods_satisfied() : satisfied_members(id) >= node.minimum;
}

bool SubGroups::ready(SubGroupId id) const {
  const auto& node = nodes_[id];
  if (node.is_pod_set) return node.pods_ready();
  const auto ready_members =
      std::count_if(node.children.begin(), node.children.end(), [&](SubGroupId member) { return ready(member); });
  return ready_members >= node.minimum;
}

}  // namespace muster::kai
