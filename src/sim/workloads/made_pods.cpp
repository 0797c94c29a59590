#include "sim/workloads/made_pods.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/workloads/built_in_kinds.h"
#include "sim/workloads/operators.h"
#include "sim/workloads/replicas.h"
#include "sim/workloads/volcano_job.h"

namespace muster::sim {
namespace {

constexpr std::size_t kLongestName = 512;  // longer than any that the API server takes, and than uids that are made of them

// Names are written into every pod, some of them often.
Result<void> check_names(const Submitted& workload) {
  for (const std::string_view path : {"metadata.name", "metadata.namespace", "metadata.uid"})
    if (workload.object.text_at(path).size() > kLongestName) {
      Error error(fmt::format("it has more than {} characters", kLongestName));
      error.object = workload.kind.kind;
      error.field = path;
      return fail(std::move(error));
    }
  return {};
}

// Groupers read objects that are nested so deep and no deeper: what they would pass over is refused.
Result<void> check_depth(const Submitted& workload) {
  if (workload.object.levels() <= static_cast<std::size_t>(grouping::kObjectDepth)) return {};
  return fail(refused_workload(workload, "", fmt::format("it is nested deeper than {} levels", grouping::kObjectDepth)));
}

// Kinds whose controllers are known here.
struct Maker {
  grouping::ObjectKind kind;
  Result<MadePods> (*make)(Submitted& workload, const Surroundings& surroundings);
};
const Maker kMakers[] = {
    {kBatchJob, pods_of_job},
    {kDeployment, pods_of_deployment},
    {kReplicaSet, pods_of_replica_set},
    {kStatefulSet, pods_of_stateful_set},
    {kVolcanoJob, pods_of_volcano_job},
    {{"jobset.x-k8s.io", "v1alpha2", "JobSet"}, pods_of_job_set},
    {{"kubeflow.org", "v1", "JAXJob"}, pods_of_training_job},
    {{"kubeflow.org", "v1", "MPIJob"}, pods_of_training_job},
    {{"kubeflow.org", "v1", "PaddleJob"}, pods_of_training_job},
    {{"kubeflow.org", "v1", "PyTorchJob"}, pods_of_training_job},
    {{"kubeflow.org", "v1", "TFJob"}, pods_of_training_job},
    {{"kubeflow.org", "v1", "XGBoostJob"}, pods_of_training_job},
    {{"kubeflow.org", "v2beta1", "MPIJob"}, pods_of_mpi_job},
    {{"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet"}, pods_of_leader_worker_set},
    {{"ray.io", "v1", "RayCluster"}, pods_of_ray_cluster},
    {{"ray.io", "v1alpha1", "RayCluster"}, pods_of_ray_cluster},
    {{"ray.io", "v1", "RayJob"}, pods_of_ray_job},
    {{"ray.io", "v1alpha1", "RayJob"}, pods_of_ray_job},
    {{"ray.io", "v1", "RayService"}, pods_of_ray_service},
    {{"ray.io", "v1alpha1", "RayService"}, pods_of_ray_service},
};

const Maker* maker_of(const grouping::ObjectKind& kind) {
  const auto* row = std::find_if(std::begin(kMakers), std::end(kMakers), [&](const Maker& one) { return one.kind == kind; });
  return row == std::end(kMakers) ? nullptr : row;
}

}  // namespace

bool is_made_here(const grouping::ObjectKind& kind) { return maker_of(kind) != nullptr; }

Result<std::optional<MadePods>> made_pods(Submitted& workload, const Surroundings& surroundings) {
  const auto* row = maker_of(workload.kind);
  if (row == nullptr) return std::nullopt;
  if (auto named = check_names(workload); !named) return fail(std::move(named.error()));
  if (auto read = check_depth(workload); !read) return fail(std::move(read.error()));
  auto made = row->make(workload, surroundings);
  if (!made) return fail(std::move(made.error()));
  return std::optional(std::move(*made));
}

}  // namespace muster::sim
