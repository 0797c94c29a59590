#include "policy/kai/settings_table.h"

#include <algorithm>

namespace muster::kai {
namespace {

using enum ArgumentType;

constexpr std::string_view kPlacements[] = {"binpack", "spread"};
constexpr std::string_view kMethods[] = {"lca", "queue"};

constexpr ArgumentSetting number(std::string_view name, std::string_view by_default, double minimum, std::string_view meaning) {
  return {.name = name, .type = kNumber, .default_text = by_default, .meaning = meaning, .minimum = minimum};
}
constexpr ArgumentSetting word(std::string_view name, std::span<const std::string_view> choices, std::string_view meaning) {
  return {.name = name, .type = kWord, .default_text = choices.front(), .meaning = meaning, .choices = choices};
}
constexpr ArgumentSetting duration(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kDuration, .default_text = by_default, .meaning = meaning};
}
constexpr ArgumentSetting boolean(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kBoolean, .default_text = by_default, .meaning = meaning};
}
constexpr ArgumentSetting integer(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kInteger, .default_text = by_default, .meaning = meaning};
}
constexpr ArgumentSetting text(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kText, .default_text = by_default, .meaning = meaning};
}
constexpr ArgumentSetting without_effect(std::string_view why, ArgumentSetting row) {
  row.support = Support::kNot;
  row.remark = why;
  return row;
}
constexpr ComponentSetting optional(ComponentSetting row) {
  row.by_default = false;
  return row;
}
constexpr ComponentSetting decides_nothing(std::string_view why, ComponentSetting row) {
  row.support = Support::kNot;
  row.remark = why;
  return row;
}

// ---- actions, least disturbance first ----

constexpr ComponentSetting kActionSettings[] = {
    {.name = "allocate", .meaning = "gives waiting jobs room that is free or being freed; disturbs nobody"},
    {.name = "consolidation", .meaning = "moves preemptible pods together to make room; every one of them gets another place"},
    {.name = "reclaim", .meaning = "takes back, from other queues, what they hold beyond their share"},
    {.name = "preempt", .meaning = "lets jobs of higher priority take the place of lower ones of the same queue"},
    {.name = "stalegangeviction", .meaning = "evicts gangs that have run with fewer pods than they need for too long"},
};

// ---- plugins ----

constexpr ArgumentSetting kDynamicResources[] = {
    without_effect("expressions are kept as long as they are used", integer("maxCelCacheEntries", "10", "expressions kept")),
};
constexpr ArgumentSetting kMinRuntime[] = {
    duration("defaultPreemptMinRuntime", "0s", "how long a job runs before preempt may take it, where no queue says"),
    duration("defaultReclaimMinRuntime", "0s", "how long a job runs before reclaim may take it, where no queue says"),
    word("reclaimResolveMethod", kMethods, "whose minimum counts for reclaim: below the common ancestor, or the victim's queue's"),
};
constexpr ArgumentSetting kNodePlacement[] = {
    word("cpu", kPlacements, "how pods without GPUs are placed"),
    word("gpu", kPlacements, "how pods with GPUs are placed"),
};
constexpr ArgumentSetting kNuma[] = {
    text("ignoreList", "", "resources that do not count, with commas"),
    boolean("reconstructAvailable", "true", "whether what zones have left is worked out from the pods on the node"),
};
constexpr ArgumentSetting kProportion[] = {
    number("kValue", "1.0", 0, "how strongly past usage shifts what is left over"),
    number("relcaimerSaturationMultiplier", "1.0", 1, "how much fuller than itself a queue must be to lose to a reclaimer"),
};

constexpr ComponentSetting kPluginSettings[] = {
    {.name = "dynamicresources", .meaning = "devices that pods claim (DRA)", .arguments = kDynamicResources},
    {.name = "elastic", .meaning = "jobs below their minimum before jobs that would only grow"},
    {.name = "gpupack", .meaning = "shares of GPUs go to the fullest GPU"},
    {.name = "gpusharingorder", .meaning = "shares of GPUs go to nodes that share GPUs already"},
    optional({.name = "gpuspread", .meaning = "shares of GPUs go to the emptiest GPU"}),
    {.name = "kubeflow", .meaning = "masters and launchers of Kubeflow jobs first"},
    {.name = "minruntime", .meaning = "keeps jobs from being evicted soon after their start", .arguments = kMinRuntime},
    {.name = "nodeavailability", .meaning = "nodes with room now before nodes where room is being freed"},
    {.name = "nodeplacement", .meaning = "packs pods together or spreads them", .arguments = kNodePlacement},
    {.name = "nominatednode", .meaning = "the node that a pod was promised first"},
    optional({.name = "numa", .meaning = "NUMA zones of nodes", .arguments = kNuma}),
    optional({.name = "podaffinity", .meaning = "the pods' preferences for being near others or away from them"}),
    {.name = "predicates", .meaning = "what Kubernetes asks of a node: taints, selectors, affinities, ports, volumes, limits"},
    {.name = "priority", .meaning = "jobs of higher priority first"},
    {.name = "proportion", .meaning = "fair shares of queues, their quotas and limits", .arguments = kProportion},
    {.name = "ray", .meaning = "heads of Ray clusters first"},
    optional(decides_nothing("serves the order of jobs over HTTP; decides nothing",
                             {.name = "reflectjoborder", .meaning = "tells the order of jobs"})),
    {.name = "resourcetype", .meaning = "pods without GPUs go to nodes without GPUs"},
    {.name = "sg-multinodegang", .meaning = "looks for victims on several nodes at once"},
    {.name = "sg-nodelocalgreedy", .meaning = "looks for victims node by node"},
    decides_nothing("serves a snapshot over HTTP; decides nothing. `muster schedule` reads it",
                    {.name = "snapshot", .meaning = "gives out what the scheduler sees"}),
    {.name = "subgrouporder", .meaning = "the order of a job's sub-groups"},
    {.name = "taskorder", .meaning = "pods by the label kai.scheduler/task-priority"},
    {.name = "topology", .meaning = "keeps jobs and sub-groups within levels of a Topology"},
};

constexpr std::string_view kSwitches[] = {"disableJobOrder",   "disableNodeOrder",   "disablePredicate", "disablePreemptable",
                                          "disableQueueOrder", "disableReclaimable", "disableTaskOrder"};

// ---- flags ----

constexpr std::string_view kRunning = "of the running process; changes no decision";

constexpr ArgumentSetting kFlags[] = {
    boolean("allow-consolidating-reclaim", "true", "victims of reclaim that get another place do not count as taken"),
    without_effect(kRunning, integer("burst", "300", "calls to the API server in a row")),
    text("cpu-worker-node-label-key", "node-role.kubernetes.io/cpu-worker", "label of nodes for pods without GPUs"),
    duration("default-staleness-grace-period", "60s", "how long a gang may run with too few pods; negative: for ever"),
    boolean("detailed-fit-errors", "false", "conditions and events of pods say of every node why it takes them not"),
    without_effect(kRunning, boolean("enable-profiler", "false", "serves profiles")),
    without_effect(kRunning, text("feature-gates", "", "of Kubernetes")),
    boolean("full-hierarchy-fairness", "true", "fair shares on every level of queues, not among the leaves alone"),
    text("gpu-worker-node-label-key", "node-role.kubernetes.io/gpu-worker", "label of nodes for pods with GPUs"),
    without_effect(kRunning, boolean("leader-elect", "false", "one of several schedulers leads")),
    without_effect(kRunning, text("listen-address", ":8080", "where metrics are served")),
    without_effect(kRunning, duration("log-flush-frequency", "5s", "of logs")),
    without_effect(kRunning, boolean("log-json", "false", "logs as JSON")),
    integer("max-consolidation-preemptees", "16", "jobs that consolidation may move; 0: none, -1: any number"),
    without_effect(kRunning, text("metrics-namespace", "kai", "how metrics begin")),
    text("mig-worker-node-label-key", "node-role.kubernetes.io/mig-enabled", "label of nodes with GPUs that are cut in parts"),
    without_effect(kRunning, text("namespace", "kai-scheduler", "of the scheduler")),
    text("nodepool-label-key", "kai.scheduler/node-pool", "label by which nodes, queues and PodGroups belong to a shard"),
    without_effect(kRunning, integer("num-of-status-recording-workers", "5", "writers of statuses")),
    text("partition-label-value", "", "the shard; empty: what has no such label"),
    without_effect(kRunning, integer("plugin-server-port", "8081", "where plugins are served")),
    without_effect(kRunning, text("profiler-port", "8182", "where profiles are served")),
    without_effect(kRunning, text("pyroscope-address", "", "of a profiler")),
    without_effect(kRunning, integer("pyroscope-block-profiler-rate", "5", "of a profiler")),
    without_effect(kRunning, integer("pyroscope-mutex-profiler-rate", "5", "of a profiler")),
    without_effect(kRunning, integer("qps", "50", "calls to the API server in a second")),
    text("queue-label-key", "kai.scheduler/queue", "label that names the queue of a shared resource claim"),
    text("resource-reservation-app-label", "kai-resource-reservation", "label app of pods that hold shared GPUs"),
    boolean("restrict-node-scheduling", "false", "pods go to nodes with the label of their kind of worker only"),
    boolean("schedule-csi-storage", "false", "evictions free storage as well"),
    without_effect(kRunning, duration("schedule-period", "1s", "between cycles")),
    without_effect("`--config`", text("scheduler-conf", "", "the configuration file")),
    text("scheduler-name", "kai-scheduler", "pods of this scheduler are placed"),
    duration("stuck-in-releasing-threshold", "2m", "pods that take longer to go offer their room to nobody"),
    without_effect(kRunning, boolean("update-pod-eviction-condition", "false", "a condition on evicted pods")),
    boolean("use-scheduling-signatures", "true", "jobs like one that found no room are not tried again"),
    without_effect(kRunning, integer("v", "3", "how much is logged")),
    without_effect(kRunning, boolean("version", "true", "prints the version")),
};

// ---- labels and annotations ----

constexpr std::string_view kGrouper =
    "of KAI's podgrouper, or of `--group-pods`, which make PodGroups from workloads; decisions rest on the PodGroup";
constexpr std::string_view kBinder = "of the binder and admission";

constexpr KeySetting kKeySettings[] = {
    {"pod-group-name", "annotation of pods", "the pod's PodGroup, in `exact` by name alone"},
    {"kai.scheduler/subgroup-name", "label of pods", "the pod's sub-group"},
    {"kai.scheduler/node-pool", "label of nodes, queues, PodGroups", "the shard (`--nodepool-label-key`)"},
    {"kai.scheduler/queue", "label of resource claims", "the queue that pays (`--queue-label-key`)"},
    {"gpu-fraction", "annotation of pods", "a share of a GPU"},
    {"gpu-memory", "annotation of pods", "a share of a GPU, in MiB"},
    {"gpu-fraction-num-devices", "annotation of pods", "of how many GPUs"},
    {"runai-gpu-group", "label of pods", "the shared GPU that the pod is on; `runai-gpu-group/<group>` for several"},
    {"kai.scheduler/task-priority", "label of pods", "order within a job"},
    {"training.kubeflow.org/job-role", "label of pods", "masters first"},
    {"ray.io/node-type", "label of pods", "heads first"},
    {"kai.scheduler/numa-placement-observed", "annotation of pods", "the NUMA zones that the pod is in"},
    {"kai.scheduler/numa-placement-predicted", "annotation of pods", "the NUMA zones that it was given"},
    {"kai.scheduler/stale-podgroup-timestamp", "annotation of PodGroups", "since when it has too few pods"},
    {"kai.scheduler/last-start-timestamp", "annotation of PodGroups", "when it started, for minimum runtimes"},
    {"kai.scheduler/last-eviction-timestamp", "annotation of PodGroups", "when it was evicted, for preemption delays"},
    {"nvidia.com/gpu.count", "label of nodes", "GPUs of a node"},
    {"nvidia.com/gpu.memory", "label of nodes", "memory of each GPU, in MiB"},
    {"nvidia.com/mig.strategy", "label of nodes", "GPUs that are cut in parts"},
    {"app", "label of pods", "`kai-resource-reservation` and `scaling-pod` are KAI's own pods"},
    {"gpu-fraction-container-name", "annotation of pods", "the container that gets the device", Support::kNot, kBinder},
    {"received-resource-type", "annotation of pods", "how the pod was given its GPU", Support::kNot, kBinder},
    {"mps", "annotation of pods", "how a GPU is shared", Support::kNot, kBinder},
    {"runai/shared-gpu-configmap", "annotation of pods", "how a pod is told its device", Support::kNot, kBinder},
    {"kai.scheduler/skip-podgrouper", "annotation of pods", "no PodGroup is made", Support::kNot, kGrouper},
    {"priorityClassName", "label of workloads", "priority of the PodGroup", Support::kNot, kGrouper},
    {"kai.scheduler/preemptibility", "label of workloads", "spec.preemptibility", Support::kNot, kGrouper},
    {"kai.scheduler/preemption-delay", "annotation of workloads", "spec.preemptionDelay", Support::kNot, kGrouper},
    {"kai.scheduler/staleness-grace-period", "annotation of workloads", "spec.stalenessGracePeriod", Support::kNot, kGrouper},
    {"kai.scheduler/topology", "annotation of workloads", "spec.topologyConstraint", Support::kNot, kGrouper},
    {"kai.scheduler/topology-preferred-placement", "annotation of workloads", "spec.topologyConstraint", Support::kNot, kGrouper},
    {"kai.scheduler/topology-required-placement", "annotation of workloads", "spec.topologyConstraint", Support::kNot, kGrouper},
    {"kai.scheduler/segment-size", "annotation of workloads", "sub-groups of this size", Support::kNot, kGrouper},
    {"kai.scheduler/segment-topology-preferred-placement", "annotation of workloads", "of sub-groups", Support::kNot, kGrouper},
    {"kai.scheduler/segment-topology-required-placement", "annotation of workloads", "of sub-groups", Support::kNot, kGrouper},
    {"kai.scheduler/batch-min-member", "annotation of workloads", "spec.minMember", Support::kNot, kGrouper},
    {"kai.scheduler/top-owner-metadata", "annotation of PodGroups", "the workload", Support::kNot, kGrouper},
    {"project", "label of workloads", "an older name of the queue's label", Support::kNot, kGrouper},
    {"user", "label of workloads", "copied to the PodGroup", Support::kNot, kGrouper},
};

template <class Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ComponentSetting> action_settings() { return kActionSettings; }
std::span<const ComponentSetting> plugin_settings() { return kPluginSettings; }
std::span<const std::string_view> plugin_switches() { return kSwitches; }
std::span<const ArgumentSetting> flag_settings() { return kFlags; }
std::span<const KeySetting> key_settings() { return kKeySettings; }

const ComponentSetting* find_action(std::string_view name) { return find_row(action_settings(), name); }
const ComponentSetting* find_plugin(std::string_view name) { return find_row(plugin_settings(), name); }
const ArgumentSetting* find_setting(std::span<const ArgumentSetting> settings, std::string_view name) {
  return find_row(settings, name);
}

std::string_view name_of(Support support) {
  switch (support) {
    case Support::kSupported: return "supported";
    case Support::kDiffers: return "differs";
    case Support::kNot: return "not";
  }
  return "";
}

std::string_view name_of(ArgumentType type) {
  switch (type) {
    case ArgumentType::kNumber: return "a number";
    case ArgumentType::kInteger: return "a whole number";
    case ArgumentType::kDuration: return "a duration such as \"90s\" or \"1d\"";
    case ArgumentType::kBoolean: return "true or false";
    case ArgumentType::kWord: return "a word";
    case ArgumentType::kText: return "a text";
  }
  return "";
}

}  // namespace muster::kai
