// The MPIJobs of the MPI operator: workers that the job owns, and a launcher that a batch/v1 Job makes.

#include <algorithm>
#include <fmt/format.h>

#include "grouping/pod_usage.h"
#include "sim/fields.h"
#include "sim/workloads/operator_group.h"
#include "sim/workloads/operator_pods.h"
#include "sim/workloads/operators.h"
#include "sim/workloads/priority_classes.h"
#include "sim/workloads/question_room.h"
#include "sim/workloads/replicas.h"

namespace muster::sim {
namespace {

constexpr std::string_view kOwnMpiController = "kubeflow.org/mpi-operator";
constexpr std::string_view kMpiPolicy = "spec.runPolicy.schedulingPolicy";

struct MpiRoles {
  const Tree* launcher;
  const Tree* worker;  // none: the launcher works alone
  std::int64_t workers = 0;
  std::int64_t least = 0;  // pods that start together
};

std::string priority_class_of(const Tree* role) {
  return role == nullptr ? std::string() : std::string(role->text_at("template.spec.priorityClassName"));
}

void label_mpi_pod(Tree& pod, const Submitted& workload, std::string role) {
  add_labels(pod, {{"training.kubeflow.org/job-name", std::string(workload.object.text_at("metadata.name"))},
                   {"training.kubeflow.org/operator-name", "mpi-operator"},
                   {"training.kubeflow.org/job-role", std::move(role)}});
}

void add_workers_of(const Submitted& workload, const MpiRoles& roles, MadePods& out) {
  // The launcher is the first of them where it works too.
  const std::int64_t first = workload.object.true_at("spec.runLauncherAsWorker") ? 1 : 0;
  for (std::int64_t i = 0; i < roles.workers; ++i) {
    auto pod = named_pod(roles.worker->find("template"), workload,
                         fmt::format("{}-worker-{}", workload.object.text_at("metadata.name"), i));
    label_mpi_pod(pod, workload, "worker");
    add_labels(pod, {{"training.kubeflow.org/replica-index", fmt::format("{}", i + first)}});
    out.pods.push_back({std::move(pod)});
  }
}

void add_launcher_of(const Submitted& workload, const MpiRoles& roles, MadePods& out) {
  const auto name = fmt::format("{}-launcher", workload.object.text_at("metadata.name"));
  auto job = owned_object(workload, kBatchJob, name, workload);
  auto pod = named_pod(roles.launcher->find("template"), job, name);
  label_mpi_pod(pod, workload, "launcher");
  if (workload.object.true_at("spec.runLauncherAsWorker")) add_labels(pod, {{"training.kubeflow.org/replica-index", "0"}});
  out.pods.push_back({std::move(pod)});
  out.owners.push_back(std::move(job));
}

// What so many pods need. Where not all are meant, those of the role with the lower priority are fewer, and workers among equals.
ResourceList mpi_amounts(const MpiRoles& roles, std::int64_t count, const Surroundings& surroundings) {
  std::int64_t launchers = 1;
  std::int64_t workers = roles.workers;
  if (launchers + workers > count) {
    const auto priority = [&](const Tree* role) { return named_priority(surroundings, priority_class_of(role)); };
    const bool fewer_workers = priority(roles.launcher) >= priority(roles.worker);
    (fewer_workers ? workers : launchers) = std::max<std::int64_t>(0, count - 1);
  }
  const auto amounts = [](const Tree* role, std::int64_t times) {
    const auto each = container_amounts(role == nullptr ? nullptr : role->find("template"), LimitsCount::kForEachLeftOut);
    return grouping::times(each, times);
  };
  auto out = amounts(roles.launcher, launchers);
  grouping::add_to(out, amounts(roles.worker, workers));
  return out;
}

void make_mpi_group(const Submitted& workload, const MpiRoles& roles, const Surroundings& surroundings, MadePods& out) {
  const auto& job = workload.object;
  const auto* policy = job.at(kMpiPolicy);
  const auto said = [&](std::string_view field) { return policy == nullptr ? std::string_view() : policy->text_at(field); };
  OperatorGroup group{.name = std::string(job.text_at("metadata.name")), .min_member = roles.least};
  group.queue = said("queue").empty() ? annotation_of(job, "scheduling.volcano.sh/queue-name") : said("queue");
  group.priority_class = said("priorityClass");
  for (const auto* role : {roles.launcher, roles.worker})
    if (group.priority_class.empty()) group.priority_class = priority_class_of(role);
  const auto* least = policy == nullptr ? nullptr : policy->at("minResources");
  if (least != nullptr && least->is_map())
    group.min_resources = *least;
  else if (group.min_member > 0)
    group.min_resources = resources_of(mpi_amounts(roles, group.min_member, surroundings));
  out.groups.push_back({group.object_for(workload)});
  for (auto& pod : out.pods) put_into_group(pod.object, group.name, NamesScheduler::kOverwrites);
  out.notes.push_back(fmt::format(
      "the MPI operator is taken to run with --gang-scheduling=volcano, so that it makes the PodGroup of {}: launcher and "
      "workers, or spec.runPolicy.schedulingPolicy.minAvailable of them, start together",
      shown(workload)));
}

}  // namespace

Result<MadePods> pods_of_mpi_job(Submitted& workload, const Surroundings& surroundings) {
  if (auto run = refuse_if_not_run(workload, "spec.runPolicy.suspend", "spec.runPolicy.managedBy", kOwnMpiController); !run)
    return fail(std::move(run.error()));
  MpiRoles roles{workload.object.at("spec.mpiReplicaSpecs.Launcher"), workload.object.at("spec.mpiReplicaSpecs.Worker")};
  if (roles.launcher == nullptr)
    return fail(
        refused_workload(workload, "spec.mpiReplicaSpecs.Launcher", "it is missing: an MPIJob has a Launcher, and mostly Workers"));
  const auto workers = asked_count(workload, "spec.mpiReplicaSpecs.Worker.replicas", 0);
  if (!workers) return fail(workers.error());
  roles.workers = *workers;
  const auto least = asked_count(workload, fmt::format("{}.minAvailable", kMpiPolicy), roles.workers + 1);
  if (!least) return fail(least.error());
  roles.least = *least;
  const bool comes_later = workload.object.text_at("spec.launcherCreationPolicy") == "WaitForWorkersReady" && roles.workers > 0;
  auto out = room_for(workload, "spec.mpiReplicaSpecs", {{comes_later ? 0 : 1, roles.launcher}, {roles.workers, roles.worker}});
  if (!out) return out;
  if (!comes_later) add_launcher_of(workload, roles, *out);
  add_workers_of(workload, roles, *out);
  if (surroundings.grouper == Grouper::kVolcano) make_mpi_group(workload, roles, surroundings, *out);
  if (comes_later)
    out->notes.push_back(
        fmt::format("the launcher of {} is made when its workers are ready, and is not asked about", shown(workload)));
  if (comes_later && surroundings.grouper == Grouper::kVolcano && roles.least > roles.workers)
    out->notes.push_back(fmt::format(
        "with spec.launcherCreationPolicy: WaitForWorkersReady the gang of {} waits for a launcher that waits for it: set "
        "{}.minAvailable to {}",
        shown(workload), kMpiPolicy, roles.workers));
  return out;
}

}  // namespace muster::sim
