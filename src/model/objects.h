#pragma once

// The API objects that a scheduler reads, as plain values: what an API server lists, reduced to what any dialect uses.
// They know nothing of policy. Defaults are those of an absent field.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/devices.h"
#include "model/kai_objects.h"
#include "model/meta.h"
#include "model/quantity.h"
#include "model/selector.h"
#include "model/taint.h"
#include "model/time.h"

namespace muster {

// A status condition of any object.
struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::string transition_id;  // Volcano's PodGroups only
  Timestamp last_transition;
};

// ---------------------------------------------------------------------------------------------------------- Pod

struct ContainerPort {
  std::int32_t host_port = 0;
  std::string host_ip;
  std::string protocol = "TCP";

  auto operator<=>(const ContainerPort&) const = default;
};

struct Container {
  std::string name;
  std::string image;
  ResourceList requests;
  ResourceList limits;
  std::vector<std::string> claims;   // names into PodSpec::resource_claims
  std::vector<ContainerPort> ports;  // only those with a host port (or of a host-network pod)
  bool restartable = false;          // init containers with restartPolicy Always
};

struct PodAffinityTerm {
  std::optional<LabelSelector> selector;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;

  auto operator<=>(const PodAffinityTerm&) const = default;
};

struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm term;

  auto operator<=>(const WeightedPodAffinityTerm&) const = default;
};

struct PreferredNodeTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm term;

  auto operator<=>(const PreferredNodeTerm&) const = default;
};

struct Affinity {
  std::optional<NodeSelector> node_required;
  std::vector<PreferredNodeTerm> node_preferred;
  std::vector<PodAffinityTerm> pod_required;
  std::vector<WeightedPodAffinityTerm> pod_preferred;
  std::vector<PodAffinityTerm> anti_required;
  std::vector<WeightedPodAffinityTerm> anti_preferred;

  auto operator<=>(const Affinity&) const = default;
};

enum class SpreadAction { kDoNotSchedule, kScheduleAnyway };
enum class NodeInclusion { kHonor, kIgnore };

struct SpreadConstraint {
  std::int32_t max_skew = 1;
  std::string topology_key;
  SpreadAction action = SpreadAction::kDoNotSchedule;
  std::optional<LabelSelector> selector;
  std::optional<std::int32_t> min_domains;
  NodeInclusion node_affinity = NodeInclusion::kHonor;
  NodeInclusion node_taints = NodeInclusion::kIgnore;
  std::vector<std::string> match_label_keys;

  auto operator<=>(const SpreadConstraint&) const = default;
};

struct Volume {
  std::string name;
  std::string claim;       // persistentVolumeClaim.claimName
  bool ephemeral = false;  // generic ephemeral volume: its claim is "<pod>-<volume>"
  std::string image;       // image volumes

  auto operator<=>(const Volume&) const = default;
};

struct PodResourceClaim {
  std::string name;
  std::string claim;     // resourceClaimName
  std::string templ;     // resourceClaimTemplateName
  std::string resolved;  // from status.resourceClaimStatuses: the generated claim, empty when none yet
  bool settled = false;  // status.resourceClaimStatuses has an entry, if only to say that no claim is needed

  auto operator<=>(const PodResourceClaim&) const = default;
};

struct PodSpec {
  std::string scheduler_name;
  std::string node_name;
  std::optional<std::int32_t> priority;
  std::string priority_class;
  std::string preemption_policy;  // "Never" or "PreemptLowerPriority" or empty
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  ResourceList overhead;
  std::optional<ResourceList> pod_requests;  // pod-level resources
  StringMap node_selector;
  Affinity affinity;
  std::vector<Toleration> tolerations;
  std::vector<SpreadConstraint> spread;
  std::vector<std::string> scheduling_gates;
  std::vector<Volume> volumes;
  std::vector<PodResourceClaim> resource_claims;
  bool host_network = false;
};

// What status.containerStatuses says of a container's resources (in-place resize).
struct ContainerResources {
  std::string name;
  ResourceList requests;
  ResourceList allocated;
};

struct PodStatus {
  std::string phase;  // as written; empty counts as Pending
  std::string nominated_node;
  std::string qos_class;
  std::optional<Timestamp> start_time;
  std::vector<Condition> conditions;
  std::vector<ContainerResources> resized;  // only containers whose status carries resources
  bool resize_infeasible = false;
};

struct Pod {
  ObjectMeta meta;
  PodSpec spec;
  PodStatus status;
  // What annotations tell of its NUMA zones: as measured, and as KAI foresaw it.
  std::vector<NumaZoneShare> numa_observed, numa_predicted;
};

// --------------------------------------------------------------------------------------------------------- Node

struct NodeImage {
  std::vector<std::string> names;
  std::int64_t bytes = 0;

  auto operator<=>(const NodeImage&) const = default;
};

struct Node {
  ObjectMeta meta;
  ResourceList allocatable;
  ResourceList capacity;
  std::vector<Taint> taints;
  bool unschedulable = false;
  std::vector<NodeImage> images;
  std::vector<Condition> conditions;
};

// ----------------------------------------------------------------------------------------- groups, queues, quotas

enum class TopologyMode { kHard, kSoft };

struct NetworkTopology {
  TopologyMode mode = TopologyMode::kHard;
  std::optional<std::int64_t> highest_tier;
  std::string highest_tier_name;

  auto operator<=>(const NetworkTopology&) const = default;
};

struct SubGroupPolicy {
  std::string name;
  std::optional<NetworkTopology> topology;
  std::optional<std::int32_t> size;
  std::optional<std::int32_t> min_sub_groups;
  std::optional<LabelSelector> selector;
  std::vector<std::string> match_label_keys;

  auto operator<=>(const SubGroupPolicy&) const = default;
};

// scheduling.volcano.sh/v1beta1 PodGroup.
struct PodGroup {
  ObjectMeta meta;
  std::int32_t min_member = 0;
  std::map<std::string, std::int32_t> min_task_member;
  std::string queue;
  std::string priority_class;
  std::optional<ResourceList> min_resources;
  std::optional<NetworkTopology> topology;
  std::vector<SubGroupPolicy> sub_groups;

  std::string phase;
  std::vector<Condition> conditions;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
};

struct NodeGroupAffinity {
  std::vector<std::string> required;
  std::vector<std::string> preferred;
};

// scheduling.volcano.sh/v1beta1 Queue.
struct Queue {
  ObjectMeta meta;
  std::int32_t weight = 0;
  bool has_weight = false;  // spec.weight is present, even if it is 0
  ResourceList capability;
  ResourceList deserved;
  ResourceList guarantee;
  std::optional<bool> reclaimable;
  std::string parent;
  std::int32_t priority = 0;
  std::optional<NodeGroupAffinity> affinity;
  std::optional<NodeGroupAffinity> anti_affinity;
  bool has_affinity = false;  // spec.affinity is present, even if empty

  std::string state;
  std::optional<ResourceList> allocated;  // status.allocated
};

struct HyperNodeMember {
  enum class Type { kNode, kHyperNode };
  Type type = Type::kNode;
  std::string exact;                      // exactMatch.name
  std::string pattern;                    // regexMatch.pattern
  std::optional<LabelSelector> selector;  // labelMatch
};

// topology.volcano.sh/v1alpha1 HyperNode.
struct HyperNode {
  ObjectMeta meta;
  std::int64_t tier = 0;
  std::string tier_name;
  std::vector<HyperNodeMember> members;
};

struct PriorityClass {
  ObjectMeta meta;
  std::int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy;
};

struct ResourceQuota {
  ObjectMeta meta;
  ResourceList hard;  // status.hard
  ResourceList used;  // status.used
};

struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
  std::int32_t disruptions_allowed = 0;
  std::vector<std::string> disrupted_pods;
};

struct Namespace {
  ObjectMeta meta;
};

// ------------------------------------------------------------------------------------------------------ storage

struct StorageClass {
  ObjectMeta meta;
  std::string provisioner;
  std::string binding_mode;  // Immediate or WaitForFirstConsumer
  std::map<std::string, std::string> parameters;
  std::vector<NodeSelectorTerm> allowed_topologies;
};

struct PersistentVolume {
  ObjectMeta meta;
  std::string claim_namespace;
  std::string claim_name;
  std::string claim_uid;
  std::string storage_class;
  std::string csi_driver;
  std::vector<std::string> access_modes;
  ResourceList capacity;
  std::optional<NodeSelector> node_affinity;
  std::string phase;
};

struct PersistentVolumeClaim {
  ObjectMeta meta;
  std::string volume_name;
  std::optional<std::string> storage_class;
  std::vector<std::string> access_modes;
  ResourceList requests;
  std::string phase;
};

struct CsiDriverLimit {
  std::string driver;
  std::optional<std::int32_t> count;
};

struct CsiNode {
  ObjectMeta meta;
  std::vector<CsiDriverLimit> drivers;
};

struct CsiDriver {
  ObjectMeta meta;
  bool tracks_capacity = false;  // says how much it can still provision
};

// How much of a storage class can be provisioned for the nodes that a selector chooses.
struct CsiStorageCapacity {
  ObjectMeta meta;
  std::string storage_class;
  std::optional<LabelSelector> nodes;  // none: all of them
  std::optional<Quantity> capacity;
  std::optional<Quantity> largest_volume;
};

// shard.volcano.sh/v1alpha1 NodeShard.
struct NodeShard {
  ObjectMeta meta;
  std::vector<std::string> nodes_desired;
  std::vector<std::string> nodes_in_use;
};

// nodeinfo.volcano.sh/v1alpha1 Numatopology, named after its node: which CPUs the node has, where they sit and which are free.
struct Numatopology {
  struct Resource {
    std::string allocatable;  // of "cpu" a set such as "0-3,8"
    std::int64_t capacity = 0;
  };
  struct Cpu {
    std::int32_t numa = 0;
    std::int32_t socket = 0;
    std::int32_t core = 0;
    auto operator<=>(const Cpu&) const = default;
  };
  struct Allocation {
    std::string uid;
    std::string name;
    std::string ns;
  };

  ObjectMeta meta;
  StringMap policies;  // CPUManagerPolicy, TopologyManagerPolicy
  std::map<std::string, Resource> resources;
  std::map<std::string, Cpu> cpus;  // by the number of the CPU, as it is written
  StringMap reserved;               // quantities
  std::vector<Allocation> pod_allocations;
};

struct ConfigMap {
  ObjectMeta meta;
  StringMap data;
};

// Any object that muster reads. Kinds it does not know are counted by the reader and passed over.
using Object = std::variant<Pod, Node, PodGroup, Queue, HyperNode, PriorityClass, ResourceQuota, PodDisruptionBudget, Namespace,
                            StorageClass, PersistentVolume, PersistentVolumeClaim, CsiNode, NodeShard, ResourceClaim, ResourceSlice,
                            DeviceClass, Numatopology, ConfigMap, KaiQueue, KaiPodGroup, BindRequest, KaiTopology,
                            NodeResourceTopology, CsiDriver, CsiStorageCapacity>;

}  // namespace muster
