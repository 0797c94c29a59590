#include "app/cluster_intake.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <type_traits>

#include "app/pod_defaults.h"
#include "app/volcano_setup.h"
#include "base/nearest_name.h"
#include "model/quoted.h"
#include "policy/volcano/devices/device_config.h"
#include "policy/volcano/devices/vgpu_cards.h"

namespace muster {
namespace {

constexpr std::string_view kRootQueue = "root";
constexpr std::string_view kGroupName = "scheduling.k8s.io/group-name";
constexpr std::string_view kNumaPolicy = "volcano.sh/numa-topology-policy";
constexpr std::string_view kVgpuCards = "volcano.sh/node-vgpu-register";

constexpr std::array<std::string_view, 5> kPodPhases = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
constexpr std::array<std::string_view, 5> kGroupPhases = {"Pending", "Inqueue", "Running", "Unknown", "Completed"};
constexpr std::array<std::string_view, 4> kNumaPolicies = {"none", "best-effort", "restricted", "single-numa-node"};
constexpr std::array<std::string_view, 4> kQueueStates = {"Open", "Closed", "Closing", "Unknown"};

void note_oddity(IntakeFacts& facts, std::string what, std::string_view kind, const ObjectMeta& meta, const Location& location) {
  const auto place = location.line == 0 ? "" : place_text(location) + ": ";
  facts.oddities[std::move(what)].add(place + object_name(kind, meta));
}

// One of a few words that a field may hold, and what becomes of any other.
struct StatusWord {
  std::string_view field;
  std::span<const std::string_view> known;
  std::string_view otherwise;
};
constexpr StatusWord kPodPhase = {"status.phase", kPodPhases, "the pod counts as Unknown"};
constexpr StatusWord kGroupPhase = {"status.phase", kGroupPhases, "it counts as Pending"};
constexpr StatusWord kPodNumaPolicy = {"metadata.annotations[\"volcano.sh/numa-topology-policy\"]", kNumaPolicies,
                                       "only nodes with the very same policy take the pod"};
constexpr StatusWord kNodeNumaPolicy = {"spec.policies.TopologyManagerPolicy", kNumaPolicies,
                                        "no NUMA node is preferred on that node"};
constexpr StatusWord kQueueState = {"status.state", kQueueStates, "the queue counts as closed"};

// What is to be said of a word; empty when it is known.
std::string unknown_word(const std::string& word, const StatusWord& status) {
  if (word.empty() || std::ranges::find(status.known, word) != status.known.end()) return {};
  const auto near = nearest_name(word, status.known);
  return std::string(status.field) + " " + quoted(word) + " is unknown, so " + std::string(status.otherwise) +
         (near.empty() ? "" : "; did you mean " + quoted(near) + "?");
}

// Where amounts of a queue exceed each other, which its admission would refuse.
std::vector<std::string> wrong_amounts(const Queue& queue) {
  std::vector<std::string> wrong;
  const auto exceeds = [&](std::string_view low, const ResourceList& lower, std::string_view high, const ResourceList& higher) {
    for (const auto& [resource, amount] : lower)
      if (const auto limit = higher.find(resource); limit != higher.end() && amount > limit->second)
        wrong.push_back(fmt::format("{}.{} is more than {}.{}, which Volcano's admission refuses", low, resource, high, resource));
  };
  exceeds("spec.guarantee", queue.guarantee, "spec.deserved", queue.deserved);
  exceeds("spec.guarantee", queue.guarantee, "spec.capability", queue.capability);
  exceeds("spec.deserved", queue.deserved, "spec.capability", queue.capability);
  for (const std::string resource : {"cpu", "memory"})
    if (const auto limit = queue.capability.find(resource); limit != queue.capability.end() && limit->second == Quantity())
      wrong.push_back(fmt::format("spec.capability.{} is 0, which counts as no limit", resource));
  return wrong;
}

// The path of a queue for drf with hierarchy, and a weight for every part of it.
std::string wrong_hierarchy(const Queue& queue) {
  const auto path = queue.meta.annotations.get("volcano.sh/hierarchy");
  const auto weights = queue.meta.annotations.get("volcano.sh/hierarchy-weights");
  const auto parts = [](std::string_view text) { return text.empty() ? 0 : std::ranges::count(text, '/') + 1; };
  if (parts(path) == parts(weights)) return {};
  return fmt::format(
      "volcano.sh/hierarchy has {} parts and volcano.sh/hierarchy-weights {}, which Volcano's admission refuses; with "
      "drf's hierarchy a weight that is missing counts as 1",
      parts(path), parts(weights));
}

}  // namespace

ClusterIntake::ClusterIntake(volcano::ClusterOptions options, Objects objects)
    : keeping_(objects), cluster_(std::make_unique<volcano::Cluster>(std::move(options))) {}

Result<void> ClusterIntake::take(Object&& object, const Location& location) {
  ++objects_;
  const auto wanted = known_.remember(object, location);
  if (!wanted) return fail(wanted.error());
  if (!*wanted) return {};
  if (auto* queue = std::get_if<Queue>(&object)) look_at(*queue, location);
  if (auto* pod = std::get_if<Pod>(&object)) look_at(*pod, location);
  if (const auto* group = std::get_if<PodGroup>(&object)) look_at(*group, location);
  if (const auto* node = std::get_if<Node>(&object)) look_at(*node, location);
  if (const auto* budget = std::get_if<PodDisruptionBudget>(&object)) look_at(*budget, location);
  if (const auto* topology = std::get_if<Numatopology>(&object)) look_at(*topology, location);
  if (const auto* domain = std::get_if<HyperNode>(&object)) facts_.hyper_nodes.push_back(*domain);
  if (std::holds_alternative<KaiQueue>(object) || std::holds_alternative<KaiPodGroup>(object))
    facts_.of_kai.add(object_name(object));
  if (const auto* priority = std::get_if<PriorityClass>(&object)) ++facts_.priority_classes[priority->meta.name];
  if (const auto* map = std::get_if<ConfigMap>(&object))
    if (const auto taken = take_device_config(*map, *cluster_); !taken) {
      Error error(taken.error().text(), location);
      error.object = object_name(object);
      error.field = "data[\"device-config.yaml\"]";
      return fail(std::move(error));
    }
  take_in(object);
  return {};
}

void ClusterIntake::take_in(const Object& object) {
  cluster_->apply(object);
  if (keeping_ == Objects::kKept) kept_.push_back(object);
}

// A cluster's admission gives a queue its weight, and the queue controller its state. In files written by hand both are missing.
void ClusterIntake::look_at(Queue& queue, const Location& location) {
  const auto& name = queue.meta.name;
  if (queue.state.empty()) {
    queue.state = "Open";
    facts_.queues_without_state.push_back(name);
  }
  if (queue.weight == 0) {
    queue.weight = 1;
    (queue.has_weight ? facts_.queues_of_weight_zero : facts_.queues_without_weight).push_back(name);
  }
  if (auto wrong = unknown_word(queue.state, kQueueState); !wrong.empty())
    note_oddity(facts_, std::move(wrong), "Queue", queue.meta, location);
  const auto amounts = wrong_amounts(queue);
  for (const auto& wrong : amounts) note_oddity(facts_, wrong, "Queue", queue.meta, location);
  if (auto wrong = wrong_hierarchy(queue); !wrong.empty()) note_oddity(facts_, std::move(wrong), "Queue", queue.meta, location);
  if (name == kRootQueue && !queue.parent.empty() && queue.parent != kRootQueue)
    note_oddity(facts_, "spec.parent of the queue at the root counts for nothing", "Queue", queue.meta, location);
  if (name != kRootQueue || queue.parent != kRootQueue) facts_.queues[name] = {queue.parent, location};
}

void ClusterIntake::look_at(const PodGroup& group, const Location& location) {
  name_priority_class(group.priority_class, "PodGroup", group.meta);
  const auto note_if = [&](bool odd, std::string what) {
    if (odd) note_oddity(facts_, std::move(what), "PodGroup", group.meta, location);
  };
  auto wrong = unknown_word(group.phase, kGroupPhase);
  const bool unknown = !wrong.empty();
  note_if(unknown, std::move(wrong));
  bool has_topology = false;
  std::optional<std::int64_t> allowed;
  const auto look_at_topology = [&](const std::optional<NetworkTopology>& topology) {
    if (!topology) return;
    has_topology = true;
    if (topology->mode == TopologyMode::kHard && topology->highest_tier)
      allowed = std::min(allowed.value_or(*topology->highest_tier), *topology->highest_tier);
    if (topology->highest_tier_name.empty()) return;
    note_if(
        topology->highest_tier.has_value(),
        "a network topology has highestTierAllowed and highestTierName, of which the first counts; Volcano's admission refuses it");
    if (!topology->highest_tier) facts_.tiers_named[topology->highest_tier_name].add(object_name("PodGroup", group.meta));
  };
  look_at_topology(group.topology);
  for (const auto& sub_group : group.sub_groups) look_at_topology(sub_group.topology);
  if (has_topology) (allowed ? facts_.tiers_allowed[*allowed] : facts_.with_topology).add(object_name("PodGroup", group.meta));
  const auto is_negative = [](const auto& entry) { return entry.second < std::decay_t<decltype(entry.second)>(); };
  const auto& least = group.min_resources;
  note_if(group.min_member < 0, "spec.minMember is negative and counts as no minimum");
  note_if(std::ranges::any_of(group.min_task_member, is_negative),
          "spec.minTaskMember has a negative minimum, which counts as none");
  note_if(least && std::ranges::any_of(*least, is_negative), "spec.minResources has a negative amount");
}

void ClusterIntake::look_at(const Node& node, const Location& location) {
  ++facts_.nodes;
  const auto* cards = cluster_->options().devices.vgpu ? node.meta.annotations.find(kVgpuCards) : nullptr;
  if (cards == nullptr) return;
  const auto config = volcano::DeviceConfig::standard();
  const auto read = volcano::read_vgpu_registration(*cards, config.vgpu);
  if (!read || read->cards.empty())
    note_oddity(facts_, "metadata.annotations[" + quoted(kVgpuCards) + "] is no list of cards, so the node has no virtual GPUs",
                "Node", node.meta, location);
}

// Its controller counts how many pods may go. In files written by hand nobody does, which reads as none.
void ClusterIntake::look_at(const PodDisruptionBudget& budget, const Location& location) {
  if (budget.disruptions_allowed != 0) return;
  const auto place = location.line == 0 ? "" : place_text(location) + ": ";
  facts_.closed_budgets.add(place + object_name("PodDisruptionBudget", budget.meta));
}

void ClusterIntake::look_at(const Numatopology& topology, const Location& location) {
  if (!cluster_->options().numa) return;
  if (auto wrong = unknown_word(std::string(topology.policies.get("TopologyManagerPolicy")), kNodeNumaPolicy); !wrong.empty())
    note_oddity(facts_, std::move(wrong), "Numatopology", topology.meta, location);
}

void ClusterIntake::look_at(Pod& pod, const Location& location) {
  ++facts_.pods;
  if (default_requests(pod)) facts_.requests_from_limits.add(object_name("Pod", pod.meta));
  if (const auto* policy = cluster_->options().numa ? pod.meta.annotations.find(kNumaPolicy) : nullptr)
    if (auto wrong = unknown_word(*policy, kPodNumaPolicy); !wrong.empty())
      note_oddity(facts_, std::move(wrong), "Pod", pod.meta, location);
  if (auto wrong = unknown_word(pod.status.phase, kPodPhase); !wrong.empty())
    note_oddity(facts_, std::move(wrong), "Pod", pod.meta, location);
  const bool has_ended = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  if (!pod.spec.node_name.empty() || has_ended) return;
  if (pod.status.phase == "Running")
    note_oddity(facts_, "status.phase is Running without a spec.nodeName, so the pod takes room of its queue and of no node", "Pod",
                pod.meta, location);
  const auto& ours = cluster_->options().scheduler_names;
  if (std::find(ours.begin(), ours.end(), pod.spec.scheduler_name) == ours.end()) {
    ++facts_.other_schedulers[pod.spec.scheduler_name];
    return;
  }
  if (pod.meta.annotations.get(kGroupName).empty()) {
    facts_.ungrouped.push_back(pod.meta.ns + "/" + pod.meta.name);
    if (auto wrong = mistyped_annotation(pod.meta, kGroupName); !wrong.empty())
      note_oddity(facts_, std::move(wrong), "Pod", pod.meta, location);
  }
  if (!pod.spec.priority) name_priority_class(pod.spec.priority_class, "Pod", pod.meta);
}

void ClusterIntake::name_priority_class(const std::string& name, std::string_view kind, const ObjectMeta& by) {
  if (name.empty() || name == "system-cluster-critical" || name == "system-node-critical") return;
  facts_.priority_classes_named[name].add(object_name(kind, by));
}

void ClusterIntake::make_queue(const std::string& name, bool reclaimable) {
  if (cluster_->find_queue(name)) return;
  Queue queue;
  queue.meta.name = name;
  queue.weight = 1;
  queue.state = "Open";
  queue.reclaimable = reclaimable;
  take_in(Object(std::move(queue)));
  facts_.queues_made.push_back(name);
}

Result<LoadedCluster> ClusterIntake::finish() {
  if (auto checked = refuse_queue_cycles(facts_.queues, "spec.parent"); !checked) return fail(std::move(checked.error()));
  make_queue(std::string(kRootQueue), false);
  make_queue(cluster_->options().default_queue, true);
  cluster_->settle();
  auto notes = notes_on(*cluster_, facts_);
  return LoadedCluster{std::move(cluster_), std::move(notes), std::move(facts_.closed_budgets), std::move(kept_)};
}

}  // namespace muster
