#include "sim/workloads/made_pods.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/volcano_admission.h"
#include "sim/workloads/replicas.h"
#include "sim/workloads/volcano_job.h"

namespace muster::sim {
namespace {

constexpr std::string_view kNewRevision = "new";

Error refused(const Submitted& workload, std::string field, std::string message) {
  Error error(std::move(message));
  error.object = shown(workload);
  error.field = std::move(field);
  return error;
}

Result<std::size_t> checked_count(const Submitted& workload, std::string field, std::int64_t count) {
  if (count < 1) return fail(refused(workload, std::move(field), "it asks for no pods"));
  if (count > static_cast<std::int64_t>(kMostPods))
    return fail(
        refused(workload, std::move(field), fmt::format("it asks for {} pods: {} at most can be asked about", count, kMostPods)));
  return static_cast<std::size_t>(count);
}

Tree named(Tree pod, std::string_view workload, std::size_t number) {
  pod["metadata"].erase("generateName");
  pod["metadata"]["name"] = Tree(fmt::format("{}-{}", workload, number));
  return pod;
}

Result<MadePods> pods_of_job(Submitted& workload, const Surroundings&) {
  const auto& job = workload.object;
  if (job.true_at("spec.suspend")) return fail(refused(workload, "spec.suspend", "it is suspended: nobody makes its pods"));
  const auto completions = job.integer_at("spec.completions");
  const auto parallelism = job.integer_at("spec.parallelism").value_or(1);
  const auto count = checked_count(workload, "spec.parallelism", completions ? std::min(parallelism, *completions) : parallelism);
  if (!count) return fail(count.error());
  MadePods out;
  for (std::size_t i = 0; i < *count; ++i)
    out.pods.push_back(named(job_pod(job, is_indexed(job) ? std::optional(static_cast<std::int64_t>(i)) : std::nullopt),
                             job.text_at("metadata.name"), i));
  if (completions && *completions > parallelism)
    out.notes.push_back(fmt::format("of the {} pods of {}, {} are there at once, and these are asked about", *completions,
                                    shown(workload), *count));
  return out;
}

Result<MadePods> pods_of_replicas(const Submitted& workload, const Tree& set, std::string_view name) {
  const auto count = checked_count(workload, "spec.replicas", workload.object.integer_at("spec.replicas").value_or(1));
  if (!count) return fail(count.error());
  MadePods out;
  for (std::size_t i = 0; i < *count; ++i) out.pods.push_back(named(replica_pod(set), name, i));
  return out;
}

Result<MadePods> pods_of_replica_set(Submitted& workload, const Surroundings&) {
  return pods_of_replicas(workload, workload.object, workload.object.text_at("metadata.name"));
}

Result<MadePods> pods_of_deployment(Submitted& workload, const Surroundings&) {
  const auto& deployment = workload.object;
  if (deployment.true_at("spec.paused")) return fail(refused(workload, "spec.paused", "it is paused: nobody makes its pods"));
  auto set = replica_set_of(deployment, std::string(kNewRevision), 1);
  set["metadata"]["namespace"] = Tree(deployment.text_at("metadata.namespace"));
  set["metadata"]["uid"] = Tree(fmt::format("{}-{}", deployment.text_at("metadata.uid"), kNewRevision));
  auto out = pods_of_replicas(workload, set, deployment.text_at("metadata.name"));
  if (out) out->owner = Submitted{kReplicaSet, std::move(set)};
  return out;
}

Result<MadePods> pods_of_stateful_set(Submitted& workload, const Surroundings&) {
  const auto& set = workload.object;
  const auto count = checked_count(workload, "spec.replicas", set.integer_at("spec.replicas").value_or(1));
  if (!count) return fail(count.error());
  MadePods out;
  for (std::size_t i = 0; i < *count; ++i)
    out.pods.push_back(stateful_pod(set, static_cast<std::int64_t>(i), std::string(kNewRevision)));
  if (*count > 1 && set.text_at("spec.podManagementPolicy") != "Parallel")
    out.notes.push_back(
        fmt::format("the pods of {} are made one after the other, each when the one before it is ready; "
                    "they are asked about together",
                    shown(workload)));
  return out;
}

// Before anything has run, only what waits for nobody is there.
bool starts_first(const VolcanoJob& job, const VolcanoTask& task) {
  const auto* names = task.spec->at("dependsOn.name");
  if (names == nullptr || !names->is_list() || names->as_list()->empty()) return true;
  const auto needs_nothing = [&](const Tree& name) {
    const auto* other = job.task(name.scalar_text());
    return other == nullptr || other->min_available <= 0;
  };
  const auto& items = *names->as_list();
  if (items.size() > 1 && task.spec->text_at("dependsOn.iteration") == "any")
    return std::any_of(items.begin(), items.end(), needs_nothing);
  return std::all_of(items.begin(), items.end(), needs_nothing);
}

Result<MadePods> pods_of_volcano_job(Submitted& workload, const Surroundings& surroundings) {
  default_volcano_job(workload.object);
  const VolcanoJob job(workload.object);
  if (const auto count = checked_count(workload, "spec.tasks", job.replicas()); !count) return fail(count.error());
  if (job.min_available > job.replicas())
    return fail(refused(workload, "spec.minAvailable",
                        fmt::format("is {}, and its tasks have {} pods: Volcano refuses that", job.min_available, job.replicas())));
  MadePods out;
  out.group = volcano_job_group(job, [&](const std::string& name) { return priority_of_class(surroundings, name); });
  (*out.group)["metadata"]["namespace"] = Tree(job.ns);
  for (const auto& task : job.tasks) {
    if (!starts_first(job, task)) {
      out.notes.push_back(
          fmt::format("the task {} of {} waits for others to run, and its pods are not asked about", task.name, shown(workload)));
      continue;
    }
    for (std::int64_t i = 0; i < task.replicas; ++i) out.pods.push_back(volcano_job_pod(job, task, i));
  }
  return out;
}

// Kinds whose controllers are known here.
struct Maker {
  const grouping::ObjectKind& kind;
  Result<MadePods> (*make)(Submitted& workload, const Surroundings& surroundings);
};
const Maker kMakers[] = {{kBatchJob, pods_of_job},
                         {kDeployment, pods_of_deployment},
                         {kReplicaSet, pods_of_replica_set},
                         {kStatefulSet, pods_of_stateful_set},
                         {kVolcanoJob, pods_of_volcano_job}};

}  // namespace

std::string shown(const Submitted& workload) {
  return fmt::format("{} {}/{}", workload.kind.kind, workload.object.text_at("metadata.namespace"),
                     workload.object.text_at("metadata.name"));
}

Result<std::optional<MadePods>> made_pods(Submitted& workload, const Surroundings& surroundings) {
  const auto* row =
      std::find_if(std::begin(kMakers), std::end(kMakers), [&](const Maker& one) { return one.kind == workload.kind; });
  if (row == std::end(kMakers)) return std::nullopt;
  auto made = row->make(workload, surroundings);
  if (!made) return fail(std::move(made.error()));
  return std::optional(std::move(*made));
}

const PriorityClass* class_named(const Surroundings& surroundings, std::string_view name) {
  const PriorityClass* out = nullptr;
  for (const auto& one : surroundings.priority_classes) {
    const bool is_meant = name.empty() ? one.global_default && (out == nullptr || one.value < out->value) : one.meta.name == name;
    if (is_meant) out = &one;
  }
  return out;
}

std::optional<std::int64_t> priority_of_class(const Surroundings& surroundings, std::string_view name) {
  if (const auto* found = class_named(surroundings, name)) return found->value;
  if (name == "system-node-critical") return 2'000'001'000;
  if (name == "system-cluster-critical") return 2'000'000'000;
  return std::nullopt;
}

}  // namespace muster::sim
