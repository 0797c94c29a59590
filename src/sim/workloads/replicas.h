#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/workloads/pod_template.h"

namespace muster::sim {

inline const grouping::ObjectKind kBatchJob{"batch", "v1", "Job"};
inline const grouping::ObjectKind kDeployment{"apps", "v1", "Deployment"};
inline const grouping::ObjectKind kReplicaSet{"apps", "v1", "ReplicaSet"};
inline const grouping::ObjectKind kStatefulSet{"apps", "v1", "StatefulSet"};

// What holds a pod of a Job until it is counted.
inline constexpr std::string_view kJobTracking = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kRevisionHash = "controller-revision-hash";
inline constexpr std::string_view kTemplateHash = "pod-template-hash";
inline constexpr std::string_view kDeploymentRevision = "deployment.kubernetes.io/revision";

bool is_indexed(const Tree& job);

// Pods as the controllers of Kubernetes make them. Those of a Job and a ReplicaSet have no name, but a generateName.
Tree job_pod(const Tree& job, std::optional<std::int64_t> index);  // without an index unless the Job is Indexed
Tree replica_pod(const Tree& set);
Tree stateful_pod(const Tree& set, std::int64_t ordinal, const std::string& revision);

// The ReplicaSet for the template of a Deployment: with no replicas yet, and numbered.
Tree replica_set_of(const Tree& deployment, const std::string& hash, std::int64_t number);

}  // namespace muster::sim
