#include "app/whatif_places.h"

#include <algorithm>
#include <map>

#include "app/whatif.h"
#include "app/whatif_amounts.h"
#include "app/whatif_group.h"
#include "base/nearest_name.h"
#include "codec/object_reader.h"

namespace muster {
namespace {

constexpr const char* kTier = "spec.networkTopology.highestTierAllowed";
constexpr const char* kTierName = "spec.networkTopology.highestTierName";
constexpr const char* kTopologyMode = "spec.networkTopology.mode";
constexpr const char* kRequiredLevel = "spec.topologyConstraint.requiredTopologyLevel";
constexpr const char* kMinMember = "spec.minMember";
const std::string kRoleMinimum = "spec.minTaskMember.";
constexpr const char* kTreeRoot = "root";

template <class Group>
Group* find_group(std::vector<Object>& question, const std::string& job) {
  for (auto& object : question)
    if (auto* group = std::get_if<Group>(&object); group != nullptr && group->meta.ns + "/" + group->meta.name == job) return group;
  return nullptr;
}
template <class Group>
const Group* find_group(const std::vector<Object>& question, const std::string& job) {
  return find_group<Group>(const_cast<std::vector<Object>&>(question), job);  // NOLINT: it is only read
}

template <class T, class F>
void for_each_of(const std::vector<Object>& objects, F f) {
  for (const auto& object : objects)
    if (const auto* known = std::get_if<T>(&object)) f(*known);
}

// ---- levels of Volcano: tiers of HyperNodes

void add_wider_tiers(const std::vector<Object>& cluster, const NetworkTopology& topology, std::vector<FitsIf::Part>& out) {
  std::map<std::int64_t, std::string> tiers;
  for_each_of<HyperNode>(cluster, [&](const HyperNode& domain) { tiers[domain.tier] = domain.tier_name; });
  auto own = topology.highest_tier;
  if (!own)
    for (const auto& [tier, name] : tiers)
      if (name == topology.highest_tier_name && !name.empty()) own = tier;
  for (const auto& [tier, name] : tiers) {
    if (!own || tier <= *own) continue;
    if (topology.highest_tier)
      out.push_back({kTier, *own, tier});
    else if (!name.empty())
      out.push_back({kTierName, topology.highest_tier_name, name});
  }
  out.push_back({kTopologyMode, "hard", "soft"});
}

// ---- levels of KAI: those of a Topology, widest first

void add_wider_domains(const std::vector<Object>& cluster, const KaiTopologyConstraint& constraint,
                       std::vector<FitsIf::Part>& out) {
  for_each_of<KaiTopology>(cluster, [&](const KaiTopology& topology) {
    if (topology.meta.name != constraint.topology) return;
    const auto own = std::ranges::find(topology.levels, constraint.required_level, &KaiTopology::Level::node_label);
    if (own == topology.levels.end()) return;
    for (auto level = std::make_reverse_iterator(own); level != topology.levels.rend(); ++level)
      out.push_back({kRequiredLevel, constraint.required_level, level->node_label});
  });
  out.push_back({kRequiredLevel, constraint.required_level, ""});
}

using Parents = std::map<std::string, std::string>;  // of queues, by name

bool is_below(const Parents& parents, const std::string& queue, const std::string& above) {
  auto at = parents.find(queue);
  for (std::size_t steps = 0; at != parents.end() && steps <= parents.size(); ++steps) {
    if (at->second == above) return true;
    at = parents.find(at->second);
  }
  return false;
}

void put_likely_first(const Parents& parents, OtherQueues& out) {
  const std::vector<std::string_view> known(out.names.begin(), out.names.end());
  const auto near = parents.contains(out.own) ? std::string() : nearest_name(out.own, known);
  std::ranges::stable_partition(out.names,
                                [&](const std::string& name) { return name == near || is_below(parents, name, out.own); });
}

template <class SomeQueue>
void add_queues(const std::vector<Object>& cluster, OtherQueues& out) {
  Parents parent_of;
  std::set<std::string> parents;
  for_each_of<SomeQueue>(cluster, [&](const SomeQueue& queue) {
    parents.insert(queue.parent);
    parent_of.emplace(queue.meta.name, queue.parent);
  });
  for_each_of<SomeQueue>(cluster, [&](const SomeQueue& queue) {
    const auto& name = queue.meta.name;
    bool takes_jobs = !parents.contains(name) && name != out.own && name != kTreeRoot;
    if constexpr (std::is_same_v<SomeQueue, Queue>) takes_jobs = takes_jobs && (queue.state.empty() || queue.state == "Open");
    if (takes_jobs) out.names.push_back(name);
  });
  std::ranges::sort(out.names);
  put_likely_first(parent_of, out);
}

// Where roles have minimums that are more together, the largest give way first: a leader or a server of parameters stays longest.
void lower_roles(PodGroup& group, std::vector<FitsIf::Part>& parts) {
  std::int64_t excess = -std::int64_t{group.min_member};
  std::vector<std::pair<std::int32_t, std::string>> roles;
  for (const auto& [role, minimum] : group.min_task_member) {
    excess += minimum;
    roles.emplace_back(-minimum, role);
  }
  std::ranges::sort(roles);
  for (const auto& [negative, role] : roles) {
    auto& minimum = group.min_task_member[role];
    const auto less = std::clamp<std::int64_t>(excess, 0, std::max(minimum, 0));
    if (less == 0) continue;
    parts.push_back({kRoleMinimum + role, std::int64_t{minimum}, minimum - less});
    minimum -= static_cast<std::int32_t>(less);
    excess -= less;
  }
}

}  // namespace

std::vector<FitsIf::Part> wider_levels(const std::vector<Object>& cluster, const std::vector<Object>& question,
                                       const std::string& job) {
  std::vector<FitsIf::Part> out;
  if (const auto* group = find_group<PodGroup>(question, job); group != nullptr && group->topology)
    if (group->topology->mode == TopologyMode::kHard) add_wider_tiers(cluster, *group->topology, out);
  if (const auto* group = find_group<KaiPodGroup>(question, job); group != nullptr && !group->constraint.required_level.empty())
    add_wider_domains(cluster, group->constraint, out);
  return out;
}

void allow_level(std::vector<Object>& question, const std::string& job, const FitsIf::Part& level) {
  const auto& [path, from, to] = level;
  if (auto* group = find_group<KaiPodGroup>(question, job)) group->constraint.required_level = std::get<std::string>(to);
  auto* group = find_group<PodGroup>(question, job);
  if (group == nullptr) return;
  if (path == kTopologyMode) group->topology->mode = TopologyMode::kSoft;
  if (path == kTier) group->topology->highest_tier = std::get<std::int64_t>(to);
  if (path == kTierName) group->topology->highest_tier_name = std::get<std::string>(to);
}

OtherQueues other_queues(const std::vector<Object>& cluster, const std::vector<Object>& question, const std::string& job) {
  OtherQueues out;
  if (const auto* group = find_group<PodGroup>(question, job)) {
    out.own = group->queue.empty() ? "default" : group->queue;
    add_queues<Queue>(cluster, out);
  } else if (const auto* other = find_group<KaiPodGroup>(question, job)) {
    out.own = other->queue;
    add_queues<KaiQueue>(cluster, out);
  }
  return out;
}

void set_queue(std::vector<Object>& question, const std::string& job, const std::string& queue) {
  if (auto* group = find_group<PodGroup>(question, job)) group->queue = queue;
  if (auto* group = find_group<KaiPodGroup>(question, job)) group->queue = queue;
}

std::optional<Quantity> most_on_a_node(const std::vector<Object>& cluster, const std::string& resource) {
  std::optional<Quantity> most;
  for_each_of<Node>(cluster, [&](const Node& node) {
    const auto found = node.allocatable.find(resource);
    if (found != node.allocatable.end() && (!most || *most < found->second)) most = found->second;
  });
  return most;
}

std::int32_t minimum_of(const std::vector<Object>& question, const std::string& job) {
  if (const auto* group = find_group<PodGroup>(question, job)) return group->min_member;
  const auto* group = find_group<KaiPodGroup>(question, job);
  return group != nullptr && group->sub_groups.empty() ? group->min_member.value_or(0) : 0;
}

std::vector<FitsIf::Part> set_minimum(std::vector<Object>& question, const std::string& job, std::int32_t minimum) {
  std::vector<FitsIf::Part> parts = {{kMinMember, std::int64_t{minimum_of(question, job)}, std::int64_t{minimum}}};
  if (auto* group = find_group<KaiPodGroup>(question, job)) group->min_member = minimum;
  auto* group = find_group<PodGroup>(question, job);
  if (group == nullptr) return parts;
  if (group->min_resources)
    for (auto& [resource, amount] : *group->min_resources)
      parts.push_back(scale_minimum(resource, amount, minimum, group->min_member));
  const bool roles_count = roles_matter(group->min_task_member, group->min_member);
  group->min_member = minimum;
  if (roles_count) lower_roles(*group, parts);  // those that are not looked at would be if they were lowered
  return parts;
}

std::optional<RoleMinimum> role_in(const FitsIf::Part& part) {
  if (!part.path.starts_with(kRoleMinimum)) return std::nullopt;
  return RoleMinimum{part.path.substr(kRoleMinimum.size()),
                     static_cast<std::int32_t>(std::get<std::int64_t>(part.from) - std::get<std::int64_t>(part.to))};
}

std::vector<RunningJob> running_jobs(const std::vector<Object>& cluster, Dialect dialect) {
  std::map<std::string, RunningJob> jobs;
  for (const auto& object : cluster) {
    if (const auto* pod = std::get_if<Pod>(&object)) {
      const auto group = group_of(*pod, dialect);
      if (group.empty()) continue;
      const bool has_ended = pod->status.phase == "Succeeded" || pod->status.phase == "Failed";
      auto& job = jobs[pod->meta.ns + "/" + group];
      job.pods += !pod->spec.node_name.empty() && !has_ended && !pod->meta.deleted;
      job.objects.insert(object_name(object));
    }
    const bool is_group =
        dialect == Dialect::kKai ? std::holds_alternative<KaiPodGroup>(object) : std::holds_alternative<PodGroup>(object);
    if (is_group) jobs[meta_of(object).ns + "/" + meta_of(object).name].objects.insert(object_name(object));
  }
  std::vector<RunningJob> out;
  for (auto& [name, job] : jobs) {
    if (job.pods == 0) continue;
    job.name = name;
    out.push_back(std::move(job));
  }
  return out;
}

}  // namespace muster
