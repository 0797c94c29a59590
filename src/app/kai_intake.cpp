#include "app/kai_intake.h"

#include <algorithm>
#include <array>

#include "base/nearest_name.h"
#include "model/quoted.h"
#include "policy/kai/sub_groups.h"

namespace muster {
namespace {

constexpr std::string_view kGroupName = "pod-group-name";
constexpr std::string_view kSubGroupName = "kai.scheduler/subgroup-name";
constexpr std::array<std::string_view, 2> kPreemptibilities = {"preemptible", "non-preemptible"};

std::string unknown_preemptibility(const std::string& word) {
  const auto near = nearest_name(word, kPreemptibilities);
  return "spec.preemptibility " + quoted(word) + " is unknown, so the job counts as non-preemptible" +
         (near.empty() ? "" : "; did you mean " + quoted(near) + "?");
}

// A tree that makes no sense counts as if there were no sub-groups.
bool is_broken(const KaiPodGroup& group, const kai::SubGroups& tree) {
  if (group.sub_groups.empty() || !tree.find_pod_set("")) return false;
  for (const auto& part : group.sub_groups)
    if (part.name == kai::SubGroups::kDefault) return false;
  return true;
}

}  // namespace

KaiIntake::KaiIntake(kai::ClusterOptions options) : cluster_(std::make_unique<kai::Cluster>(std::move(options))) {}

Result<void> KaiIntake::take(Object&& object, const Location& location) {
  ++objects_;
  const auto wanted = known_.remember(object, location);
  if (!wanted) return fail(wanted.error());
  if (!*wanted) return {};
  if (const auto* queue = std::get_if<KaiQueue>(&object)) look_at(*queue, location);
  if (const auto* group = std::get_if<KaiPodGroup>(&object)) look_at(*group, location);
  if (const auto* pod = std::get_if<Pod>(&object)) look_at(*pod);
  if (const auto* node = std::get_if<Node>(&object)) look_at(*node);
  if (const auto* topology = std::get_if<KaiTopology>(&object)) facts_.topologies.insert(topology->meta.name);
  if (const auto* priority = std::get_if<PriorityClass>(&object)) facts_.priority_classes.insert(priority->meta.name);
  if (std::holds_alternative<Queue>(object) || std::holds_alternative<PodGroup>(object) ||
      std::holds_alternative<HyperNode>(object))
    facts_.of_volcano.add(object_name(object));
  cluster_->apply(object);
  return {};
}

bool KaiIntake::in_shard(const StringMap& labels) const {
  const auto& options = cluster_->options();
  const auto* pool = labels.find(options.node_pool_key);
  return options.node_pool.empty() ? pool == nullptr : pool != nullptr && *pool == options.node_pool;
}

void KaiIntake::look_at(const KaiQueue& queue, const Location& location) {
  const auto& name = queue.meta.name;
  facts_.queues[name] = {queue.parent, location};
  auto& facts = facts_.queue_facts[name];
  facts.in_shard = in_shard(queue.meta.labels);
  const std::pair<const char*, const KaiQueueResource*> resources[] = {
      {"gpu", &queue.gpu}, {"cpu", &queue.cpu}, {"memory", &queue.memory}};
  for (const auto& [resource, amounts] : resources)
    if (amounts->limit == 0) facts.closed.push_back(resource);
}

// How the scheduler tells PodGroups apart: KAI by the name alone.
std::string KaiIntake::group_key(const std::string& ns, std::string_view name) const {
  const bool mixed = cluster_->options().behaviour.keeps(kai::Quirk::kMixedNamespaces);
  return mixed ? std::string(name) : ns + "/" + std::string(name);
}

void KaiIntake::look_at(const KaiPodGroup& group, const Location& location) {
  const auto name = group_key(group.meta.ns, group.meta.name);
  if (const auto known = facts_.groups.find(name); known != facts_.groups.end()) {
    auto& sharers = facts_.shared_names[name];
    if (sharers.count == 0) sharers.add(known->second.name);
    sharers.add(group.meta.ns + "/" + group.meta.name);
  }
  facts_.groups[name] = {group.meta.ns + "/" + group.meta.name, group.queue, in_shard(group.meta.labels)};
  facts_.parts.erase(name);
  const auto place = object_name("PodGroup", group.meta);
  if (!group.priority_class.empty()) facts_.priority_classes_named[group.priority_class].add(place);
  const auto name_topology = [&](const KaiTopologyConstraint& constraint) {
    if (!constraint.topology.empty()) facts_.topologies_named[constraint.topology].add(place);
  };
  name_topology(group.constraint);
  for (const auto& part : group.sub_groups) name_topology(part.constraint);
  const auto odd = [&](std::string what) {
    facts_.oddities[std::move(what)].add((location.line == 0 ? "" : place_text(location) + ": ") + place);
  };
  if (!group.preemptibility.empty() && std::ranges::find(kPreemptibilities, group.preemptibility) == kPreemptibilities.end())
    odd(unknown_preemptibility(group.preemptibility));
  if (group.min_member.value_or(0) < 0) odd("spec.minMember is negative");
  if (group.sub_groups.empty()) return;
  const kai::SubGroups tree(group);
  if (is_broken(group, tree))
    odd("spec.subGroups make no tree (a name twice, an unknown parent, or a ring), so they count for nothing and one pod is "
        "enough");
  for (const auto part : tree.pod_sets()) facts_.parts[name].insert(tree[part].name);
}

void KaiIntake::look_at(const Pod& pod) {
  ++facts_.pods;
  if (pod.status.phase == "Failed" || pod.status.phase == "Succeeded") return;
  const auto name = pod.meta.ns + "/" + pod.meta.name;
  if (pod.spec.scheduler_name != cluster_->options().scheduler_name) {
    if (pod.spec.node_name.empty()) ++facts_.other_schedulers[pod.spec.scheduler_name];
    return;
  }
  const auto group = pod.meta.annotations.get(kGroupName);
  if (group.empty()) {
    const auto app = pod.meta.labels.get("app");
    const bool own = !app.empty() && (app == cluster_->options().reservation_app || app == cluster_->options().scaling_app);
    if (pod.spec.node_name.empty() && !own) facts_.ungrouped.push_back(name);
    return;
  }
  const auto key = group_key(pod.meta.ns, group);
  facts_.groups_named[key].add(name);
  facts_.parts_named[{key, std::string(pod.meta.labels.get(kSubGroupName))}].add(name);
}

void KaiIntake::look_at(const Node& node) {
  ++facts_.nodes;
  facts_.nodes_elsewhere += !in_shard(node.meta.labels);
}

Result<LoadedKaiCluster> KaiIntake::finish() {
  if (auto checked = refuse_queue_cycles(facts_.queues, "spec.parentQueue"); !checked) return fail(std::move(checked.error()));
  auto notes = notes_on(cluster_->options(), facts_);
  return LoadedKaiCluster{std::move(cluster_), std::move(notes)};
}

}  // namespace muster
