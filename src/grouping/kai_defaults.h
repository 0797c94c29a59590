#pragma once

#include <functional>
#include <span>

#include "grouping/kai.h"

namespace muster::grouping {

// What a grouper of one kind works with.
struct KaiCase {
  const Object& pod;
  const View& view;
  const KaiSettings& settings;
};

// How the PodGroup of a workload comes about. The owners go from the pod's own up to the top one, which is given apart; kinds with
// rules of their own look at the top owner alone.
using KaiGrouper = Result<KaiGroup> (*)(const KaiCase& about, const Object& top, std::span<const Object> owners);

// One PodGroup for all pods of the top owner, that starts with the first of them.
Result<KaiGroup> default_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
// The same by the top owner alone, which is what most kinds build upon.
KaiGroup kai_group_of(const KaiCase& about, const Object& top);

// Named by labels of the top owner or the pod, or by the pod itself, if there is such a class.
std::string kai_priority_class(const KaiCase& about, std::span<const Object> owners, std::string_view otherwise);

struct KaiKindDefaults {
  std::string priority_class;
  std::string preemptibility;
};
// What the ConfigMap of defaults says of a kind; nothing where it does not say anything.
std::optional<KaiKindDefaults> kai_kind_defaults(const KaiCase& about, const ObjectKind& kind);
bool priority_class_exists(const View& view, const std::string& name);

// From three annotations with these names; nothing unless a level is named.
inline constexpr std::string_view kTopology = "kai.scheduler/topology";
inline constexpr std::string_view kRequiredPlacement = "kai.scheduler/topology-required-placement";
inline constexpr std::string_view kPreferredPlacement = "kai.scheduler/topology-preferred-placement";
inline constexpr std::string_view kSegmentSize = "kai.scheduler/segment-size";
inline constexpr std::string_view kSegmentRequiredPlacement = "kai.scheduler/segment-topology-required-placement";
inline constexpr std::string_view kSegmentPreferredPlacement = "kai.scheduler/segment-topology-preferred-placement";
inline constexpr std::string_view kBatchMinMember = "kai.scheduler/batch-min-member";
inline constexpr std::string_view kPriorityLabel = "priorityClassName";
inline constexpr std::string_view kPreemptibilityLabel = "kai.scheduler/preemptibility";
inline constexpr std::int64_t kMostSegments = 10000;

// Of segments of workers: by the annotations of the pod, else of the template of workers; the topology also by those of the owner.
std::optional<TopologyConstraint> segment_topology(const Object& pod, const Texts& worker_template, const Object& top);

// The number in an annotation.
Result<std::int64_t> annotated_number(std::string_view key, const std::string& text, const Object& where);

// The kinds with rules of their own.
Result<KaiGroup> pod_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> deployment_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> job_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> cron_job_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> notebook_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> spot_request_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> tensorflow_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> jax_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> xgboost_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> mpi_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> pytorch_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> ray_cluster_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> ray_job_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> ray_service_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> job_set_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);
Result<KaiGroup> leader_worker_set_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners);

}  // namespace muster::grouping
