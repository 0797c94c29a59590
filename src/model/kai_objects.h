#pragma once

// The custom resources of KAI's scheduler, as plain values. Defaults are those of an absent field.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/devices.h"
#include "model/meta.h"
#include "model/quantity.h"
#include "model/time.h"

namespace muster {

// What a queue may have of one resource. -1 stands for no bound; GPUs are counted in devices, CPU in thousandths of a core, memory
// in 10^6 bytes.
struct KaiQueueResource {
  double quota = 0;
  double limit = 0;
  double over_quota_weight = 0;
};

// scheduling.run.ai/v2 Queue.
struct KaiQueue {
  ObjectMeta meta;
  std::string display_name;
  std::string parent;
  std::optional<std::int32_t> priority;
  KaiQueueResource gpu, cpu, memory;
  std::optional<std::int64_t> preempt_min_runtime;  // nanoseconds
  std::optional<std::int64_t> reclaim_min_runtime;
};

struct KaiTopologyConstraint {
  std::string topology;
  std::string required_level;
  std::string preferred_level;

  auto operator<=>(const KaiTopologyConstraint&) const = default;
};

struct KaiSubGroup {
  std::string name;
  std::optional<std::string> parent;
  std::optional<std::int32_t> min_member;
  std::optional<std::int32_t> min_sub_group;
  KaiTopologyConstraint constraint;
};

// An entry of a PodGroup's status.schedulingConditions.
struct KaiSchedulingCondition {
  struct Reason {
    std::string code;
    std::string message;
    bool operator==(const Reason&) const = default;
  };

  std::string type;
  std::string node_pool;
  std::string reason;
  std::string message;
  std::string transition_id;
  std::string status;
  std::vector<Reason> reasons;
  std::optional<Timestamp> last_transition;
};

// scheduling.run.ai/v2alpha2 PodGroup.
struct KaiPodGroup {
  ObjectMeta meta;
  std::optional<std::int32_t> min_member;
  std::optional<std::int32_t> min_sub_group;
  std::string queue;
  std::string priority_class;
  std::string preemptibility;
  KaiTopologyConstraint constraint;
  std::vector<KaiSubGroup> sub_groups;
  std::optional<bool> mark_unschedulable;
  std::optional<std::int32_t> scheduling_backoff;
  std::optional<std::int64_t> preemption_delay;        // nanoseconds
  std::optional<std::int64_t> staleness_grace_period;  // nanoseconds, less than 0: never
  std::vector<KaiSchedulingCondition> conditions;
};

// What a pod has of one NUMA zone of its node.
struct NumaZoneShare {
  std::string zone;
  ResourceList amount;
};

// scheduling.run.ai/v1alpha2 BindRequest: the scheduler's decision, for the binder to carry out.
struct BindRequest {
  struct Claim {
    std::string name;  // of the claim in the pod
    DeviceAllocation allocation;
  };

  ObjectMeta meta;
  std::string pod;
  std::string node;
  std::string received_type;
  std::vector<std::string> gpu_groups;
  std::vector<Claim> claims;
  std::vector<NumaZoneShare> numa_zones;
  std::optional<std::int32_t> backoff_limit;
  std::string phase;
  std::string reason;  // of a failure
  std::int32_t failed_attempts = 0;

  // For good: nobody will try again.
  bool has_failed() const { return phase == "Failed" && (!backoff_limit || failed_attempts >= *backoff_limit); }
};

// kai.scheduler/v1alpha1 Topology: the levels of domains, widest first.
struct KaiTopology {
  struct Level {
    std::string node_label;
    std::string alias;
  };

  ObjectMeta meta;
  std::vector<Level> levels;
};

// topology.node.k8s.io/v1alpha2 NodeResourceTopology, named after its node: what each of its NUMA zones has.
struct NodeResourceTopology {
  struct Resource {
    std::string name;
    Quantity allocatable, available;
  };
  struct Zone {
    std::string name;
    std::string type;
    std::vector<Resource> resources;
  };
  struct Attribute {
    std::string name;
    std::string value;
  };

  ObjectMeta meta;
  std::vector<std::string> policies;  // the old way to tell what attributes tell
  std::vector<Attribute> attributes;
  std::vector<Zone> zones;
};

}  // namespace muster
