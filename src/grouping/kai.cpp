#include "grouping/kai.h"

#include <algorithm>
#include <fmt/format.h>

#include "grouping/kai_defaults.h"

namespace muster::grouping {
namespace {

constexpr std::string_view kSkip = "kai.scheduler/skip-podgrouper";
constexpr std::string_view kGroupName = "pod-group-name";
constexpr std::string_view kSubGroupLabel = "kai.scheduler/subgroup-name";
constexpr std::size_t kLongestChain = 32;

// Every kind whose pods are grouped otherwise than one PodGroup per top owner. "*" stands for all versions.
struct Row {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  KaiGrouper grouper;  // none: the owner below it counts
};
constexpr Row kGroupers[] = {
    {"", "v1", "Pod", pod_kai_group},
    {"apps", "v1", "Deployment", deployment_kai_group},
    {"argoproj.io", "v1alpha1", "Workflow", nullptr},
    {"batch", "v1", "CronJob", cron_job_kai_group},
    {"batch", "v1", "Job", job_kai_group},
    {"egx.nvidia.io", "v1", "SPOTRequest", spot_request_kai_group},
    {"jobset.x-k8s.io", "v1alpha2", "JobSet", job_set_kai_group},
    {"kubeflow.org", "v1", "JAXJob", jax_kai_group},
    {"kubeflow.org", "v1", "MPIJob", mpi_kai_group},
    {"kubeflow.org", "v2beta1", "MPIJob", mpi_kai_group},
    {"kubeflow.org", "v1beta1", "Notebook", notebook_kai_group},
    {"kubeflow.org", "v1", "PyTorchJob", pytorch_kai_group},
    {"kubeflow.org", "v1", "TFJob", tensorflow_kai_group},
    {"kubeflow.org", "v1", "XGBoostJob", xgboost_kai_group},
    {"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", leader_worker_set_kai_group},
    {"nvidia.com", "*", "DynamoGraphDeployment", nullptr},
    {"ray.io", "v1", "RayCluster", ray_cluster_kai_group},
    {"ray.io", "v1alpha1", "RayCluster", ray_cluster_kai_group},
    {"ray.io", "v1", "RayJob", ray_job_kai_group},
    {"ray.io", "v1alpha1", "RayJob", ray_job_kai_group},
    {"ray.io", "v1", "RayService", ray_service_kai_group},
    {"ray.io", "v1alpha1", "RayService", ray_service_kai_group},
    {"run.ai", "*", "DistributedInferenceWorkload", nullptr},
    {"run.ai", "*", "DistributedWorkload", nullptr},
    {"run.ai", "*", "InferenceWorkload", nullptr},
    {"run.ai", "*", "InteractiveWorkload", nullptr},
    {"run.ai", "*", "TrainingWorkload", nullptr},
    {"trainer.kubeflow.org", "v1alpha1", "TrainJob", nullptr},
};

const Row* row_of(const ObjectKind& kind) {
  const auto* found = std::find_if(std::begin(kGroupers), std::end(kGroupers), [&](const Row& row) {
    return row.group == kind.group && row.kind == kind.kind && (row.version == kind.version || row.version == "*");
  });
  return found == std::end(kGroupers) ? nullptr : found;
}

bool is_skipped(const Object& object) { return object.annotation(kSkip) == "true"; }

// The owners of a pod, its own first; empty when it has none, or none that may be seen.
Result<std::vector<Object>> owners_of_pod(const Object& pod, const View& view) {
  std::vector<Object> out;
  auto next = pod.owners;
  while (!next.empty()) {
    const auto& reference = next.front();
    const auto shown = fmt::format("{} {}/{}", reference.kind.kind, pod.ns, reference.name);
    if (!out.empty() && next.size() > 1)
      return fail(fmt::format("{} {}/{} has more than one owner", out.back().kind.kind, pod.ns, out.back().name));
    if (out.size() >= kLongestChain) return fail(fmt::format("{} is owned in a circle", shown));
    auto found = view.find(reference.kind, pod.ns, reference.name);
    if (!found && found.error() == View::Missing::kForbidden) return out;
    if (!found) return fail(fmt::format("the owner {} was not found", shown));
    if (found->uid != reference.uid) return fail(fmt::format("the owner {} was replaced by another of its name", shown));
    next = found->owners;
    out.push_back(std::move(*found));
  }
  return out;
}

// What the owner that is passed over says counts for the one below it, where that says nothing itself.
Object inheriting(Object below, const Object& passed, const KaiCase& about) {
  const auto defaults = kai_kind_defaults(about, passed.kind).value_or(KaiKindDefaults{});
  if (priority_class_exists(about.view, defaults.priority_class))
    below.labels.try_emplace(std::string(kPriorityLabel), defaults.priority_class);
  if (!defaults.preemptibility.empty()) below.labels.try_emplace(std::string(kPreemptibilityLabel), defaults.preemptibility);
  below.labels.insert(passed.labels.begin(), passed.labels.end());
  below.annotations.insert(passed.annotations.begin(), passed.annotations.end());
  return below;
}

Result<KaiGroup> group_by_owners(const KaiCase& about, std::vector<Object> owners) {
  if (owners.empty()) {
    const auto* row = row_of(about.pod.kind);
    return row->grouper(about, about.pod, {});
  }
  const auto top = owners.back();
  const auto* row = row_of(top.kind);
  if (row != nullptr && row->grouper != nullptr) return row->grouper(about, top, owners);
  if (row == nullptr) return default_kai_group(about, top, owners);
  owners.pop_back();
  const auto below = inheriting(owners.empty() ? about.pod : owners.back(), top, about);
  if (!owners.empty()) owners.back() = below;
  const auto* next = row_of(below.kind);
  if (next != nullptr && next->grouper != nullptr) return next->grouper(about, below, owners);
  return default_kai_group(about, below, owners);
}

}  // namespace

Result<std::optional<KaiGroup>> kai_group(const Object& pod, const View& view, const KaiSettings& settings) {
  if (pod.text_at("spec.schedulerName") != settings.scheduler_name || is_skipped(pod)) return std::nullopt;
  if (pod.owners.empty() && pod.annotation(kGroupName)) return std::nullopt;  // somebody has put it there
  auto owners = owners_of_pod(pod, view);
  if (!owners) {
    if (pod.is_deleting) return std::nullopt;
    return fail(owners.error());
  }
  if (std::any_of(owners->begin(), owners->end(), is_skipped)) return std::nullopt;
  auto group = group_by_owners({pod, view, settings}, std::move(*owners));
  if (!group) return fail(group.error());
  if (const auto pool = pod.label(settings.node_pool_label)) group->labels.try_emplace(settings.node_pool_label, *pool);
  return std::move(*group);
}

std::string kai_pod_patch(const Object& pod, const KaiGroup& group) {
  const bool placed = pod.label(kSubGroupLabel).value_or("") == group.pod_sub_group;
  if (pod.annotation(kGroupName) == group.name && placed) return {};
  Texts labels;
  if (!group.pod_sub_group.empty()) labels[std::string(kSubGroupLabel)] = group.pod_sub_group;
  const auto metadata =
      fmt::format(R"("uid":{},"annotations":{})", json_string(pod.uid), texts_json({{std::string(kGroupName), group.name}}));
  if (labels.empty()) return fmt::format(R"({{"metadata":{{{}}}}})", metadata);
  return fmt::format(R"({{"metadata":{{{},"labels":{}}}}})", metadata, texts_json(labels));
}

}  // namespace muster::grouping
