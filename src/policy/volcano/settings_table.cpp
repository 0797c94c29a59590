#include "policy/volcano/settings_table.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace muster::volcano {
namespace {

using enum ArgumentType;

// ---- how a row is written ----

constexpr ArgumentSetting flag(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kBool, .default_text = by_default, .meaning = meaning};
}
constexpr ArgumentSetting integer(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kInt, .default_text = by_default, .meaning = meaning};
}
constexpr ArgumentSetting number(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kFloat, .default_text = by_default, .meaning = meaning};
}
constexpr ArgumentSetting text(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kString, .default_text = by_default, .meaning = meaning};
}
constexpr ArgumentSetting of_type(ArgumentType type, std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = type, .default_text = by_default, .meaning = meaning};
}
// Durations that are not positive are never of use.
constexpr ArgumentSetting duration(std::string_view name, std::string_view by_default, std::string_view meaning) {
  return {.name = name, .type = kDuration, .default_text = by_default, .meaning = meaning, .minimum = 1e-9};
}
constexpr ArgumentSetting map_of(std::span<const ArgumentSetting> fields, std::string_view name, std::string_view by_default,
                                 std::string_view meaning) {
  return {.name = name, .type = kMap, .default_text = by_default, .meaning = meaning, .fields = fields};
}
constexpr ArgumentSetting list_of(const ArgumentSetting& element, std::string_view name, std::string_view by_default,
                                  std::string_view meaning) {
  return {.name = name, .type = kList, .default_text = by_default, .meaning = meaning, .element = &element};
}

constexpr ArgumentSetting at_least(double minimum, ArgumentSetting row) {
  row.minimum = minimum;
  return row;
}
constexpr ArgumentSetting between(double minimum, double maximum, ArgumentSetting row) {
  row.minimum = minimum;
  row.maximum = maximum;
  return row;
}
constexpr ArgumentSetting one_of(std::span<const std::string_view> choices, ArgumentSetting row) {
  row.choices = choices;
  return row;
}
constexpr ArgumentSetting with_keys(bool (*allowed)(std::string_view), ArgumentSetting row) {
  row.key_allowed = allowed;
  return row;
}
constexpr ArgumentSetting asserted(ArgumentSetting row) {
  row.typing = Typing::kAsserted;
  return row;
}
constexpr ArgumentSetting decoded(ArgumentSetting row) {
  row.typing = Typing::kDecoded;
  return row;
}

// ---- switches ----

constexpr std::array kHooks = {
    HookSetting{Hook::kJobOrder, "enableJobOrder", true, "order jobs within a queue"},
    HookSetting{Hook::kHierarchy, "enableHierarchy", false, "treat queues as a tree (drf, capacity, nodegroup)"},
    HookSetting{Hook::kJobReady, "enableJobReady", true, "decide when a job's placements may be carried out"},
    HookSetting{Hook::kJobPipelined, "enableJobPipelined", true, "decide when a job may keep what it waits for"},
    HookSetting{Hook::kTaskOrder, "enableTaskOrder", true, "order pods within a job"},
    HookSetting{Hook::kPreemptable, "enablePreemptable", true, "name victims within a queue"},
    HookSetting{Hook::kReclaimable, "enableReclaimable", true, "name victims in other queues"},
    HookSetting{Hook::kPreemptive, "enablePreemptive", true, "decide whether a queue may take from others"},
    HookSetting{Hook::kQueueOrder, "enableQueueOrder", true, "order queues"},
    HookSetting{Hook::kClusterOrder, "enabledClusterOrder", false, "order clusters"},
    HookSetting{Hook::kPredicate, "enablePredicate", true, "filter nodes"},
    HookSetting{Hook::kBestNode, "enableBestNode", true, "choose among the scored nodes"},
    HookSetting{Hook::kNodeOrder, "enableNodeOrder", true, "score nodes, one by one and in batches"},
    HookSetting{Hook::kTargetJob, "enableTargetJob", true, "choose the job to reserve nodes for"},
    HookSetting{Hook::kReservedNodes, "enableReservedNodes", true, "reserve nodes"},
    HookSetting{Hook::kJobEnqueued, "enableJobEnqueued", true, "admit jobs from pending, and be told of the admitted"},
    HookSetting{Hook::kVictim, "enabledVictim", true, "name pods to move elsewhere"},
    HookSetting{Hook::kJobStarving, "enableJobStarving", true, "decide which jobs may evict"},
    HookSetting{Hook::kOverused, "enabledOverused", true, "decide which queues get nothing more"},
    HookSetting{Hook::kAllocatable, "enabledAllocatable", true, "decide whether a queue may take one more pod"},
    HookSetting{Hook::kHyperNodeOrder, "enabledHyperNodeOrder", true, "score topology domains"},
    HookSetting{Hook::kSubJobReady, "enabledSubJobReady", true, "decide when a sub-group's placements may be carried out"},
    HookSetting{Hook::kSubJobPipelined, "enabledSubJobPipelined", true, "decide when a sub-group may keep what it waits for"},
    HookSetting{Hook::kSubJobOrder, "enabledSubJobOrder", true, "order sub-groups within a job"},
    HookSetting{Hook::kHyperNodeGradient, "enabledHyperNodeGradient", true, "choose the topology domains to try, in order"},
};
static_assert(kHooks.size() == kHookCount);

// ---- arguments of actions ----

constexpr ArgumentSetting kPredicateErrorCache =
    flag("predicateErrorCacheEnable", "true", "remember which nodes refused a pod's role and skip them for its siblings");

constexpr std::array kAllocateArguments = {kPredicateErrorCache};
constexpr std::array kGangEvictArguments = {
    flag("allowWholeBundle", "true", "allow victims that take a whole gang below its minimum"),
    at_least(1, integer("maxDomains", "8", "how many topology domains to search")),
};
constexpr std::array kPreemptArguments = {
    flag("enableTopologyAwarePreemption", "false", "try the evictions on copies of the nodes and pick the cheapest"),
    at_least(0, integer("maxCandidateNodesAbsolute", "100", "at most this many candidate nodes")),
    at_least(0, integer("minCandidateNodesAbsolute", "1", "at least this many candidate nodes")),
    between(0, 100, integer("minCandidateNodesPercentage", "10", "candidate nodes as a percentage of the feasible ones")),
    kPredicateErrorCache,
    at_least(1, integer("topologyAwarePreemptWorkerNum", "16", "how many dry runs at once; muster needs none")),
};

constexpr std::array kActionSettings = {
    ComponentSetting{"allocate", true, "place the pods of admitted jobs", kAllocateArguments},
    ComponentSetting{"backfill", true, "place pods that request nothing", kAllocateArguments},
    ComponentSetting{"enqueue", true, "admit pending jobs that have a chance to run"},
    ComponentSetting{"gangpreempt", true, "evict within a queue for a whole gang and its topology", kGangEvictArguments},
    ComponentSetting{"gangreclaim", true, "evict from other queues for a whole gang and its topology", kGangEvictArguments},
    ComponentSetting{"preempt", true, "evict within a queue, pod by pod", kPreemptArguments},
    ComponentSetting{"reclaim", true, "evict from other queues, pod by pod", kAllocateArguments},
    ComponentSetting{"shuffle", true, "evict what the plugins want to see elsewhere"},
};

constexpr std::array kInitParameters = {
    text("presetVirtualDevice", "\"false\"", "Ascend NPUs are split statically"),
    text("self-maintain-available-card", "\"true\"", "keep the list of free Ascend cards in the scheduler"),
    text("useClusterInfoManager", "\"true\"", "read Ascend device data from the cluster's own collector"),
};
constexpr std::array kOtherConfigurations = {
    ComponentSetting{"init-params", true, "parameters of Ascend MindCluster devices (deviceshare)", kInitParameters},
};

// ---- arguments of plugins ----

constexpr std::array kBinpackArguments = {
    at_least(0, integer("binpack.cpu", "1", "weight of cpu")),
    at_least(0, integer("binpack.memory", "1", "weight of memory")),
    text("binpack.resources", "", "more resources to pack, separated by commas"),
    at_least(0, integer("binpack.resources.<resource>", "1", "weight of one of binpack.resources")),
    integer("binpack.weight", "1", "weight of the whole score; 0 turns it off"),
};

constexpr std::array kCapacityArguments = {
    at_least(0, integer("ancestorReclaimLevel", "0", "how many ancestors count when a queue reclaims; needs enableHierarchy")),
    flag("capacity.DRAConsumableCapacityEnable", "true", "count consumable capacity of devices against the queue"),
    flag("capacity.DynamicResourceAllocationEnable", "true", "count devices of resource claims against the queue"),
};

constexpr std::array<std::string_view, 3> kDevicePolicies = {"", "binpack", "spread"};
constexpr std::array kLabels = {text("<label>", "", "the value that the label must have")};
constexpr ArgumentSetting kExclusiveRule = map_of(kLabels, "rule", "", "pods with all these labels");
constexpr std::array kDeviceshareArguments = {
    flag("deviceshare.AscendHAMiVNPUEnable", "false", "share Ascend NPUs by HAMi"),
    flag("deviceshare.AscendMindClusterVNPUEnable", "false", "share Ascend NPUs by MindCluster"),
    list_of(kExclusiveRule, "deviceshare.GPUExclusiveRules", "", "pods of the same rule never share a card"),
    flag("deviceshare.GPUNumberEnable", "false", "hand out whole GPUs by number; excludes the other GPU modes"),
    flag("deviceshare.GPUSharingEnable", "false", "share GPUs by memory; excludes the other GPU modes"),
    text("deviceshare.KnownGeometriesCMName", "volcano-vgpu-device-config", "ConfigMap with the devices' geometries"),
    text("deviceshare.KnownGeometriesCMNamespace", "kube-system", "namespace of that ConfigMap"),
    flag("deviceshare.NodeLockEnable", "false", "lock a node while devices are handed out on it"),
    one_of(kDevicePolicies, text("deviceshare.SchedulePolicy", "", "prefer cards in use (binpack) or free ones (spread)")),
    integer("deviceshare.ScheduleWeight", "0", "weight of the device score; 0 or less turns it off"),
    flag("deviceshare.VGPUEnable", "false", "share GPUs by virtual GPUs; excludes the other GPU modes"),
};

constexpr ArgumentSetting kManagedResource = decoded(text("resource", "", "a resource name"));
constexpr std::array kExtenderArguments = {
    text("extender.allocateFuncVerb", "", "path called when a pod is placed"),
    text("extender.deallocateFuncVerb", "", "path called when a placement is undone or a pod evicted"),
    duration("extender.httpTimeout", "1s", "longest wait for an answer"),
    flag("extender.ignorable", "false", "go on when the extender does not answer"),
    text("extender.jobEnqueueableVerb", "", "path that votes on admitting a job"),
    text("extender.jobEnqueuedVerb", "", "path called when a job was admitted"),
    text("extender.jobReadyVerb", "", "path that says whether a job is ready"),
    decoded(list_of(kManagedResource, "extender.managedResources", "", "ask only about pods with these; empty means about all")),
    text("extender.onSessionCloseVerb", "", "path called when a cycle ends"),
    text("extender.onSessionOpenVerb", "", "path called when a cycle begins"),
    text("extender.predicateVerb", "", "path that filters nodes"),
    text("extender.preemptableVerb", "", "path that names victims within a queue"),
    text("extender.prioritizeVerb", "", "path that scores nodes"),
    text("extender.queueOverusedVerb", "", "path that says whether a queue gets nothing more"),
    text("extender.reclaimableVerb", "", "path that names victims in other queues"),
    text("extender.urlPrefix", "", "where the extender listens"),
};

constexpr std::array kNetworkTopologyArguments = {
    at_least(0, integer("hypernode.binpack.cpu", "1", "weight of cpu")),
    at_least(0, integer("hypernode.binpack.memory", "1", "weight of memory")),
    flag("hypernode.binpack.normal-pod.enable", "true", "pack pods without a topology into full domains, too"),
    at_least(0, number("hypernode.binpack.normal-pod.fading", "0.8", "factor per tier for pods without a topology")),
    text("hypernode.binpack.resources", "", "more resources to pack, separated by commas"),
    at_least(0, integer("hypernode.binpack.resources.<resource>", "1", "weight of one of hypernode.binpack.resources")),
    at_least(1, integer("hypernode.gradient.evict.max-hypernodes", "8", "how many domains an eviction search gets")),
    at_least(0, integer("weight", "1", "weight of the whole score")),
};

constexpr std::array kNodegroupArguments = {
    flag("enablePreferredOrder", "false", "earlier preferred groups score higher"),
    flag("strict", "true", "nodes without a group are for nobody"),
};

constexpr std::array kNodeorderArguments = {
    integer("balancedresource.weight", "1", "weight of: cpu, memory and GPU used evenly"),
    integer("imagelocality.weight", "1", "weight of: images already on the node"),
    integer("leastrequested.weight", "1", "weight of: much left over"),
    integer("mostrequested.weight", "0", "weight of: little left over"),
    integer("nodeaffinity.weight", "2", "weight of: preferred node affinity"),
    integer("podaffinity.weight", "2", "weight of: preferred pod affinity and anti-affinity"),
    integer("podtopologyspread.weight", "2", "weight of: soft spread constraints"),
    integer("tainttoleration.weight", "3", "weight of: few untolerated PreferNoSchedule taints"),
};

constexpr std::array kNumaAwareArguments = {
    integer("weight", "1", "weight of the score: few NUMA nodes"),
};

constexpr std::array kOvercommitArguments = {
    at_least(1, number("overcommit-factor", "1.2", "admit jobs up to this multiple of the cluster")),
};

constexpr std::array kShapePoint = {
    between(0, 10, integer("score", "", "its score")),
    between(0, 100, integer("utilization", "", "percentage used")),
};
constexpr ArgumentSetting kShapeElement = map_of(kShapePoint, "point", "", "a point of the curve");
constexpr std::array kPredicatesArguments = {
    decoded(at_least(0, integer("dynamicresources.filterTimeoutSeconds", "10", "longest search for devices on a node"))),
    flag("predicate.CacheEnable", "false", "remember the verdict on a node per pod template"),
    flag("predicate.DynamicResourceAllocationEnable", "", "no effect: never read by the original"),
    flag("predicate.NodeAffinityEnable", "true", "node selectors and required node affinity"),
    flag("predicate.NodePortsEnable", "true", "host ports"),
    flag("predicate.NodeVolumeLimitsEnable", "true", "how many volumes a node can attach"),
    flag("predicate.PodAffinityEnable", "true", "required pod affinity and anti-affinity"),
    flag("predicate.PodTopologySpreadEnable", "true", "hard spread constraints"),
    flag("predicate.TaintTolerationEnable", "true", "taints"),
    flag("predicate.VolumeBindingEnable", "true", "where volumes are or can be made"),
    flag("predicate.VolumeZoneEnable", "true", "zones of volumes"),
    decoded(at_least(0, integer("volumebinding.bindTimeoutSeconds", "600", "longest wait for a volume to be bound"))),
    list_of(kShapeElement, "volumebinding.shape", "", "no effect: the feature that reads it is off"),
    decoded(integer("volumebinding.weight", "1", "weight of the volume score")),
};

constexpr std::array kThresholds = {
    asserted(between(0, 100, integer("cpu", "100", "percentage of cpu"))),
    asserted(between(0, 100, integer("memory", "100", "percentage of memory"))),
    asserted(between(0, 100, integer("pod", "100", "no effect: pods are not measured"))),
};
constexpr std::array kStrategyParameters = {
    flag("nodeFit", "true", "no effect: never read by the original"),
    integer("NumberOfNodes", "0", "no effect: never read by the original"),
    map_of(kThresholds, "targetThresholds", "", "a node above one of these is overloaded"),
    integer("ThresholdPriority", "0", "no effect: never read by the original"),
    text("thresholdPriorityClassName", "system-cluster-critical", "no effect: never read by the original"),
    map_of(kThresholds, "thresholds", "", "a node below all of these can take more"),
};
constexpr std::array<std::string_view, 1> kStrategyNames = {"lowNodeUtilization"};
constexpr std::array kStrategyFields = {
    one_of(kStrategyNames, text("name", "", "which strategy")),
    map_of(kStrategyParameters, "params", "", "its parameters"),
};
constexpr ArgumentSetting kStrategy = map_of(kStrategyFields, "strategy", "", "a strategy");
constexpr std::array kReschedulingArguments = {
    asserted(duration("interval", "5m", "how often to look for pods to move")),
    asserted(text("metricsPeriod", "5m", "which average of the usage to look at")),
    list_of(kStrategy, "strategies", "[{name: lowNodeUtilization}]", "how to find pods to move"),
};

constexpr std::array<std::string_view, 2> kScoringTypes = {"LeastAllocated", "MostAllocated"};
constexpr std::array kResourceStrategyFields = {
    decoded(one_of(kScoringTypes, text("type", "LeastAllocated", "prefer much or little left over"))),
    decoded(at_least(1, integer("weight", "1", "weight of this resource"))),
};
// A bare * and a * before the end are dropped by the original.
constexpr bool ends_in_star_at_most(std::string_view resource) {
  return resource != "*" && resource.find('*') >= resource.size() - 1;
}
constexpr std::array kResourceStrategies = {
    decoded(with_keys(ends_in_star_at_most,
                      map_of(kResourceStrategyFields, "<resource>", "", "a resource name, or its beginning followed by *"))),
};
constexpr std::array kProportions = {
    decoded(at_least(0, number("<resource>", "1", "<resource>.cpu or <resource>.memory: how much to keep per idle device"))),
};
constexpr std::array kProportionalFields = {
    decoded(flag("enable", "false", "keep cpu and memory for idle devices")),
    decoded(map_of(kProportions, "resourceProportion", "", "how much to keep")),
    decoded(text("resources", "", "the devices, separated by commas")),
};
constexpr std::array kScarceWeights = {
    decoded(at_least(0, integer("<resource>", "1", "weight of the resource"))),
};
constexpr std::array kScarceFields = {
    decoded(flag("enable", "false", "keep pods off nodes with resources that they do not request")),
    decoded(text("resources", "", "the scarce resources, separated by commas")),
    decoded(map_of(kScarceWeights, "resourceWeight", "", "weights of the scarce resources")),
    decoded(integer("weight", "0", "weight of this score; 0 or less turns it off")),
};
constexpr std::array kResourceStrategyFitArguments = {
    decoded(map_of(kProportionalFields, "proportional", "", "filter: keep cpu and memory in proportion to idle devices")),
    decoded(map_of(kResourceStrategies, "resources", "{cpu: {type: LeastAllocated}, memory: {type: LeastAllocated}}",
                   "how each resource scores")),
    decoded(at_least(0, integer("resourceStrategyFitWeight", "10", "weight of the whole score; 0 turns it off"))),
    decoded(map_of(kScarceFields, "sra", "", "score: keep scarce resources free for those who need them")),
};

constexpr std::array kSlaArguments = {
    duration("sla-waiting-time", "", "jobs waiting longer than this are admitted first; a job's own annotation wins"),
};

constexpr std::array kTaskTopologyArguments = {
    integer("task-topology.weight", "1", "weight of the score"),
};

constexpr std::array kTdmArguments = {
    asserted(duration("tdm.evict.period", "1m", "how often to empty zones whose time is over")),
    asserted(of_type(kTimeRange, "tdm.revocable-zone.<zone>", "", "when the nodes of a zone may be used, such as 22:00-23:30")),
};

constexpr std::array kUsageThresholds = {
    between(0, 100, integer("cpu", "80", "percentage of cpu")),
    between(0, 100, integer("mem", "80", "percentage of memory")),
};
constexpr std::array kUsageEstimator = {
    at_least(0, of_type(kQuantity, "be_cpu", "250m", "load of a pod without requests; an integer counts millicores")),
    at_least(0, of_type(kQuantity, "be_mem", "200Mi", "load of a pod without requests; an integer counts MiB")),
    between(0, 1, number("burst_ratio", "0", "share of limit minus request that a new pod is assumed to use")),
    between(0, 1, number("request_ratio", "0.7", "share of its request that a new pod is assumed to use")),
    at_least(1, number("risk_factor", "1.2", "factor on the estimate above the risk threshold")),
    between(0, 1, number("risk_threshold", "0.6", "load from which estimates are raised")),
};
constexpr std::array kUsageArguments = {
    at_least(0, integer("cpu.weight", "1", "weight of cpu load")),
    map_of(kUsageEstimator, "estimator", "", "how the load of pods that are too new to be measured is estimated"),
    at_least(0, integer("memory.weight", "1", "weight of memory load")),
    map_of(kUsageThresholds, "thresholds", "", "no pods to nodes with a load above this"),
    at_least(0, integer("usage.weight", "5", "weight of the whole score")),
};

constexpr std::array kPluginSettings = {
    ComponentSetting{"binpack", true, "prefer nodes that end up fullest", kBinpackArguments},
    ComponentSetting{"capacity", true, "queues with deserved, guaranteed and maximum amounts", kCapacityArguments},
    ComponentSetting{"cdp", true, "protect pods for a while after they started"},
    ComponentSetting{"conformance", true, "never evict what the cluster itself needs"},
    ComponentSetting{"deviceshare", true, "share GPUs and NPUs between pods", kDeviceshareArguments},
    ComponentSetting{"drf", true, "dominant resource fairness between jobs, or between queues in a tree"},
    ComponentSetting{"extender", true, "ask an HTTP service", kExtenderArguments},
    ComponentSetting{"gang", true, "all of a job's minimum or nothing"},
    ComponentSetting{"network-topology-aware", true, "keep jobs within topology domains", kNetworkTopologyArguments},
    ComponentSetting{"nodegroup", true, "queues have node groups of their own", kNodegroupArguments},
    ComponentSetting{"nodeorder", true, "the scores of the Kubernetes scheduler", kNodeorderArguments},
    ComponentSetting{"numa-aware", true, "CPUs of a pod on few NUMA nodes", kNumaAwareArguments},
    ComponentSetting{"overcommit", true, "admit somewhat more than fits", kOvercommitArguments},
    ComponentSetting{"pdb", true, "respect disruption budgets"},
    ComponentSetting{"predicates", true, "the filters of the Kubernetes scheduler", kPredicatesArguments},
    ComponentSetting{"priority", true, "higher priority first"},
    ComponentSetting{"proportion", true, "queues share the cluster by weight"},
    ComponentSetting{"rescheduling", true, "move pods off overloaded nodes", kReschedulingArguments},
    ComponentSetting{"resource-strategy-fit", true, "pack or spread each resource separately", kResourceStrategyFitArguments},
    ComponentSetting{"resourcequota", true, "admit only what the namespace's quota allows"},
    ComponentSetting{"sla", true, "admit jobs that waited too long", kSlaArguments},
    ComponentSetting{"task-topology", true, "roles of a job near to or apart from each other", kTaskTopologyArguments},
    ComponentSetting{"tdm", true, "nodes that may be used at certain hours only", kTdmArguments},
    ComponentSetting{"usage", true, "prefer nodes with little real load", kUsageArguments},
};

// ---- metrics ----

constexpr std::array<std::string_view, 3> kMetricsSources = {"elasticsearch", "prometheus", "prometheus_adaptor"};
constexpr std::array<std::string_view, 2> kTrueOrFalse = {"false", "true"};
constexpr std::array kMetrics = {
    text("address", "", "where the source listens"),
    text("elasticsearch.hostnameFieldName", "host.hostname", "field with the node's name"),
    text("elasticsearch.index", "metricbeat-*", "index to search"),
    text("elasticsearch.password", "", "password for the source"),
    text("elasticsearch.username", "", "user for the source"),
    duration("interval", "30s", "how often to ask"),
    one_of(kTrueOrFalse, text("tls.insecureSkipVerify", "false", "do not check the source's certificate")),
    one_of(kMetricsSources, text("type", "", "what kind of source; without it there is no usage data")),
};

template <class Row>
const Row* find_by_name(std::span<const Row> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::string_view> ArgumentSetting::prefix() const {
  if (!name.ends_with('>')) return std::nullopt;
  return name.substr(0, name.find('<'));
}

bool ArgumentSetting::matches(std::string_view key) const {
  const auto fixed = prefix();
  return fixed ? key.starts_with(*fixed) && key.size() > fixed->size() : key == name;
}

std::span<const HookSetting> hook_settings() { return kHooks; }
std::span<const ComponentSetting> action_settings() { return kActionSettings; }
std::span<const ComponentSetting> plugin_settings() { return kPluginSettings; }
std::span<const ComponentSetting> other_configurations() { return kOtherConfigurations; }
std::span<const ArgumentSetting> metrics_settings() { return kMetrics; }

const ComponentSetting* find_action(std::string_view name) { return find_by_name(action_settings(), name); }
const ComponentSetting* find_plugin(std::string_view name) { return find_by_name(plugin_settings(), name); }

const ComponentSetting* find_configuration(std::string_view name) {
  const ComponentSetting* action = find_action(name);
  return action != nullptr ? action : find_by_name(other_configurations(), name);
}

const HookSetting* find_hook(std::string_view key) {
  const auto found = std::ranges::find(kHooks, key, &HookSetting::key);
  return found == kHooks.end() ? nullptr : &*found;
}

const ArgumentSetting* find_argument(std::span<const ArgumentSetting> arguments, std::string_view key) {
  const auto found = std::ranges::find_if(arguments, [&](const ArgumentSetting& row) { return row.matches(key); });
  return found == arguments.end() ? nullptr : &*found;
}

std::string_view to_string(ArgumentType type) {
  switch (type) {
    case kBool: return "a boolean";
    case kInt: return "an integer";
    case kFloat: return "a number";
    case kString: return "a string";
    case kDuration: return "a duration such as \"1m30s\"";
    case kQuantity: return "a quantity such as \"250m\"";
    case kTimeRange: return "a time range such as \"22:00-23:30\"";
    case kList: return "a list";
    case kMap: return "a map";
  }
  MUSTER_ASSERT(false && "an argument type without a name");
  return {};
}

}  // namespace muster::volcano
