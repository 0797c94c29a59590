#include "app/kai_intake.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "app/pod_defaults.h"
#include "base/lower_case.h"
#include "base/nearest_name.h"
#include "model/quoted.h"
#include "policy/kai/request.h"
#include "policy/kai/sub_groups.h"

namespace muster {
namespace {

constexpr std::string_view kGroupName = "pod-group-name";
constexpr std::string_view kSubGroupName = "kai.scheduler/subgroup-name";
constexpr std::string_view kFraction = "gpu-fraction";
constexpr std::string_view kGpuMemory = "gpu-memory";
constexpr std::string_view kDevices = "gpu-fraction-num-devices";
constexpr std::string_view kGpuCountLabel = "nvidia.com/gpu.count";
constexpr std::string_view kGpuMemoryLabel = "nvidia.com/gpu.memory";
constexpr std::array<std::string_view, 3> kStamps = {"kai.scheduler/last-start-timestamp", "kai.scheduler/stale-podgroup-timestamp",
                                                     "kai.scheduler/last-eviction-timestamp"};
constexpr std::array<std::string_view, 2> kPreemptibilities = {"preemptible", "non-preemptible"};

std::string unknown_preemptibility(const std::string& word) {
  const auto near = nearest_name(word, kPreemptibilities);
  return "spec.preemptibility " + quoted(word) + " is unknown, so the job counts as non-preemptible" +
         (near.empty() ? "" : "; did you mean " + quoted(near) + "?");
}

// None: the text is no such number.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// Amounts of a queue below which there is nothing: -1 is no bound.
void find_negative(std::string_view resource, const KaiQueueResource& amounts, std::vector<std::string>& out) {
  const auto field = [&](std::string_view name) { return "spec.resources." + std::string(resource) + "." + std::string(name); };
  const auto bound = [&](std::string_view name, double amount) {
    if (amount < 0 && amount != -1)
      out.push_back(fmt::format("{} is {}: of negative numbers only -1 has a meaning, which is no bound", field(name), amount));
  };
  bound("quota", amounts.quota);
  bound("limit", amounts.limit);
  if (amounts.over_quota_weight < 0)
    out.push_back(fmt::format("{} is {}: a weight must not be negative", field("overQuotaWeight"), amounts.over_quota_weight));
}

// They count as 0; beside sub-groups the minimum of the PodGroup itself is not looked at.
std::vector<std::string> negative_minimums(const KaiPodGroup& group) {
  std::vector<std::string> out;
  const auto look = [&](std::string field, const std::optional<std::int32_t>& minimum, std::string_view what) {
    if (minimum.value_or(0) < 0) out.push_back(fmt::format("{} is negative and counts {}", field, what));
  };
  constexpr std::string_view kNone = "as no minimum";
  look("spec.minMember", group.min_member, group.sub_groups.empty() ? kNone : "for nothing beside spec.subGroups");
  if (group.sub_groups.empty()) return out;
  look("spec.minSubGroup", group.min_sub_group, kNone);
  for (const auto& part : group.sub_groups) {
    const bool is_set = std::ranges::any_of(
        group.sub_groups, [&](const KaiSubGroup& other) { return other.parent && lower_case(*other.parent) == part.name; });
    const auto& [field, minimum] = is_set ? std::pair("minSubGroup", part.min_sub_group) : std::pair("minMember", part.min_member);
    look(fmt::format("spec.subGroups: {} of {}", field, part.name), minimum, kNone);
  }
  return out;
}

// A tree that makes no sense counts as if there were no sub-groups.
bool is_broken(const KaiPodGroup& group, const kai::SubGroups& tree) {
  if (group.sub_groups.empty() || !tree.find_pod_set("")) return false;
  for (const auto& part : group.sub_groups)
    if (part.name == kai::SubGroups::kDefault) return false;
  return true;
}

}  // namespace

KaiIntake::KaiIntake(kai::ClusterOptions options, Objects objects)
    : keeping_(objects), cluster_(std::make_unique<kai::Cluster>(std::move(options))) {}

Result<void> KaiIntake::take(Object&& object, const Location& location) {
  ++objects_;
  const auto wanted = known_.remember(object, location);
  if (!wanted) return fail(wanted.error());
  if (!*wanted) return {};
  if (const auto* queue = std::get_if<KaiQueue>(&object)) look_at(*queue, location);
  if (const auto* group = std::get_if<KaiPodGroup>(&object)) look_at(*group, location);
  if (auto* pod = std::get_if<Pod>(&object)) look_at(*pod, location);
  if (const auto* node = std::get_if<Node>(&object)) look_at(*node, location);
  if (const auto* request = std::get_if<BindRequest>(&object))
    binds_.push_back({object_name("BindRequest", request->meta), request->meta.ns + "/" + request->pod, request->node, location});
  if (const auto* topology = std::get_if<KaiTopology>(&object)) {
    facts_.topologies.insert(topology->meta.name);
    for (const auto& level : topology->levels) facts_.levels[topology->meta.name].insert(level.node_label);
  }
  if (const auto* priority = std::get_if<PriorityClass>(&object)) facts_.priority_classes.insert(priority->meta.name);
  if (std::holds_alternative<Queue>(object) || std::holds_alternative<PodGroup>(object) ||
      std::holds_alternative<HyperNode>(object))
    facts_.of_volcano.add(object_name(object));
  cluster_->apply(object);
  if (keeping_ == Objects::kKept) kept_.push_back(std::move(object));
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
  std::vector<std::string> negative;
  for (const auto& [resource, amounts] : resources) find_negative(resource, *amounts, negative);
  for (auto& what : negative) odd(location, object_name("Queue", queue.meta), std::move(what));
}

void KaiIntake::odd(const Location& location, const std::string& object, std::string what) {
  facts_.oddities[std::move(what)].add((location.line == 0 ? "" : place_text(location) + ": ") + object);
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
  facts_.broken.erase(name);
  const auto place = object_name("PodGroup", group.meta);
  if (!group.priority_class.empty()) facts_.priority_classes_named[group.priority_class].add(place);
  const auto name_topology = [&](const KaiTopologyConstraint& constraint) {
    if (constraint.topology.empty()) return;
    facts_.topologies_named[constraint.topology].add(place);
    for (const auto& level : {constraint.required_level, constraint.preferred_level})
      if (!level.empty()) facts_.levels_named[{constraint.topology, level}].add(place);
  };
  name_topology(group.constraint);
  for (const auto& part : group.sub_groups) name_topology(part.constraint);
  const auto odd = [&](std::string what) { this->odd(location, place, std::move(what)); };
  if (!group.preemptibility.empty() && std::ranges::find(kPreemptibilities, group.preemptibility) == kPreemptibilities.end())
    odd(unknown_preemptibility(group.preemptibility));
  for (auto& what : negative_minimums(group)) odd(std::move(what));
  for (const auto& key : kStamps)
    if (const auto text = group.meta.annotations.get(key); !text.empty() && !Timestamp::parse_rfc3339(text))
      odd("annotation " + std::string(key) + " " + quoted(text) +
          " is no time such as 2026-01-01T00:00:00Z, so it counts for nothing");
  if (group.sub_groups.empty()) return;
  const kai::SubGroups tree(group);
  if (is_broken(group, tree)) {
    facts_.broken.insert(name);
    odd("spec.subGroups make no tree (a name twice, an unknown parent, or a ring), so they count for nothing, one pod is enough, "
        "and pods that name a sub-group are left out");
  }
  for (const auto part : tree.pod_sets()) facts_.parts[name].insert(tree[part].name);
}

// Annotations that ask for a part of a GPU and say nothing count for nothing, as in KAI, where admission would refuse them.
void KaiIntake::look_at_sharing(const Pod& pod, const Location& location) {
  const auto& notes = pod.meta.annotations;
  const auto fraction = notes.get(kFraction);
  const auto memory = notes.get(kGpuMemory);
  const auto devices = notes.get(kDevices);
  if (fraction.empty() && memory.empty() && devices.empty()) return;
  const auto say = [&](std::string_view key, std::string_view value, std::string_view what) {
    odd(location, object_name("Pod", pod.meta),
        "annotation " + std::string(key) + (value.empty() ? "" : " " + quoted(value)) + " " + std::string(what));
  };
  const auto part = number_in<double>(fraction).value_or(0);
  const bool has_fraction = part > 0 && part <= 1;
  const bool has_memory = number_in<std::int64_t>(memory).value_or(0) > 0;
  if (!fraction.empty() && !has_fraction) say(kFraction, fraction, "is no number above 0 and up to 1, so it counts for nothing");
  if (!memory.empty() && !has_memory) say(kGpuMemory, memory, "is no whole number of MiB above 0, so it counts for nothing");
  const auto wants_whole = [](const Container& container) {
    return std::ranges::any_of(container.requests,
                               [](const auto& asked) { return kai::is_gpu(asked.first) && asked.second.units() > 0; });
  };
  if ((has_fraction || has_memory) && std::ranges::any_of(pod.spec.containers, wants_whole))
    say(has_fraction ? kFraction : kGpuMemory, "",
        "takes the place of the whole GPUs that its containers ask for, which count for nothing");
  if (has_fraction && has_memory) say(kGpuMemory, "", "counts for nothing beside " + std::string(kFraction));
  if (devices.empty()) return;
  const auto count = number_in<std::int64_t>(devices);
  if (!has_fraction && !has_memory)
    say(kDevices, "", "counts for nothing without " + std::string(kFraction) + " or " + std::string(kGpuMemory));
  else if (!count)
    say(kDevices, devices, "is no whole number, so one device counts");
  else if (*count <= 0)
    say(kDevices, devices, "is not above 0, so no node takes the pod");
}

void KaiIntake::look_at(Pod& pod, const Location& location) {
  ++facts_.pods;
  if (default_requests(pod)) facts_.requests_from_limits.add(object_name("Pod", pod.meta));
  const auto name = pod.meta.ns + "/" + pod.meta.name;
  if (pod.status.phase == "Failed") failed_pods_.insert(name);
  if (pod.status.phase == "Failed" || pod.status.phase == "Succeeded") return;
  const auto group = pod.meta.annotations.get(kGroupName);
  const bool ours = pod.spec.scheduler_name == cluster_->options().scheduler_name;
  if (!ours && group.empty()) {
    if (pod.spec.node_name.empty()) ++facts_.other_schedulers[pod.spec.scheduler_name];
    return;
  }
  look_at_sharing(pod, location);
  if (!ours && pod.spec.node_name.empty()) facts_.taken_from_others[pod.spec.scheduler_name].add(name);
  if (group.empty()) {
    const auto app = pod.meta.labels.get("app");
    const bool own = !app.empty() && (app == cluster_->options().reservation_app || app == cluster_->options().scaling_app);
    if (!pod.spec.node_name.empty() || own) return;
    facts_.ungrouped.push_back(name);
    if (auto wrong = mistyped_annotation(pod.meta, kGroupName); !wrong.empty())
      odd(location, object_name("Pod", pod.meta), std::move(wrong));
    return;
  }
  const auto key = group_key(pod.meta.ns, group);
  facts_.groups_named[key].add(name);
  facts_.parts_named[{key, std::string(pod.meta.labels.get(kSubGroupName))}].add(name);
}

void KaiIntake::look_at(const Node& node, const Location& location) {
  ++facts_.nodes;
  for (const auto key : {kGpuCountLabel, kGpuMemoryLabel}) {
    const auto* text = node.meta.labels.find(key);
    const auto number = text == nullptr ? std::nullopt : number_in<std::int64_t>(*text);
    if (text == nullptr || number.value_or(-1) >= 0) continue;
    odd(location, object_name("Node", node.meta),
        "label " + std::string(key) + " " + quoted(*text) +
            (number ? " is negative" : " is no whole number, so it counts for nothing"));
  }
  nodes_.insert(node.meta.name);
  facts_.nodes_elsewhere += !in_shard(node.meta.labels);
}

// A request that names something that is not there has no effect.
void KaiIntake::look_at_binds() {
  for (const auto& [what, pod, node, location] : binds_) {
    if (!cluster_->find_pod(pod) && !failed_pods_.contains(pod))
      odd(location, what, "pod " + pod + " does not exist, so it counts for nothing");
    else if (!node.empty() && !nodes_.contains(node))
      odd(location, what, "node " + node + " does not exist, so it counts for nothing");
  }
}

Result<LoadedKaiCluster> KaiIntake::finish() {
  look_at_binds();
  if (auto checked = refuse_queue_cycles(facts_.queues, "spec.parentQueue"); !checked) return fail(std::move(checked.error()));
  auto notes = notes_on(cluster_->options(), facts_);
  return LoadedKaiCluster{std::move(cluster_), std::move(notes), std::move(kept_)};
}

}  // namespace muster
