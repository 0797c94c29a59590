#include "sim/workloads/built_in_kinds.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "sim/fields.h"
#include "sim/volcano_admission.h"
#include "sim/workloads/priority_classes.h"
#include "sim/workloads/question_room.h"
#include "sim/workloads/replicas.h"
#include "sim/workloads/volcano_job.h"

namespace muster::sim {
namespace {

constexpr std::string_view kNewRevision = "new";

Tree named(Tree pod, std::string_view workload, std::int64_t number) {
  pod["metadata"].erase("generateName");
  pod["metadata"]["name"] = Tree(fmt::format("{}-{}", workload, number));
  return pod;
}

constexpr const char* kContainerFields = "spec.containers[*]";

FieldPlaces places_of_template() { return {{kContainerFields, "spec.template.spec.containers[*]"}}; }

// The job controller of Volcano makes the PodGroup of the Job; KAI's podgrouper reads other things of it.
FieldPlaces places_of_volcano_job(const VolcanoJob& job, Grouper grouper) {
  FieldPlaces out = {{kContainerFields, "spec.tasks[*].template.spec.containers[*]"}};
  if (grouper != Grouper::kVolcano) return out;
  out.insert({{"spec.minMember", "spec.minAvailable"},
              {"spec.minResources", ""},
              {"spec.networkTopology", "spec.networkTopology"},
              {"spec.queue", "spec.queue"}});
  for (const auto& task : job.tasks)
    out.emplace(fmt::format("spec.minTaskMember.{}", task.name), fmt::format("spec.tasks[name={}].minAvailable", task.name));
  return out;
}

Result<MadePods> pods_of_replicas(const Submitted& workload, const Tree& set, std::string_view name) {
  const auto count = asked_count(workload, "spec.replicas", 1);
  if (!count) return fail(count.error());
  auto out = room_for(workload, "spec.replicas", {{*count, workload.object.find("spec")}});
  if (!out) return out;
  out->places = places_of_template();
  for (std::int64_t i = 0; i < *count; ++i) out->pods.push_back({named(replica_pod(set), name, i)});
  return out;
}

using TasksByName = boost::unordered_flat_map<std::string_view, const VolcanoTask*>;

// The first of each name, as VolcanoJob::task() finds it.
TasksByName tasks_by_name(const VolcanoJob& job) {
  TasksByName out;
  for (const auto& task : job.tasks) out.try_emplace(task.name, &task);
  return out;
}

// Before anything has run, only what waits for nobody is there.
bool starts_first(const TasksByName& tasks, const VolcanoTask& task) {
  const auto* names = task.spec->at("dependsOn.name");
  if (names == nullptr || !names->is_list() || names->as_list()->empty()) return true;
  const auto needs_nothing = [&](const Tree& name) {
    const auto other = tasks.find(name.scalar_text());
    return other == tasks.end() || other->second->min_available <= 0;
  };
  const auto& items = *names->as_list();
  if (items.size() > 1 && task.spec->text_at("dependsOn.iteration") == "any")
    return std::any_of(items.begin(), items.end(), needs_nothing);
  return std::all_of(items.begin(), items.end(), needs_nothing);
}

Result<void> check_counts_of_tasks(const Submitted& workload) {
  if (auto count = asked_count(workload, "spec.minAvailable", 0); !count) return fail(std::move(count.error()));
  const auto* tasks = workload.object.at("spec.tasks");
  if (tasks == nullptr || !tasks->is_list()) return {};
  for (const auto& task : *tasks->as_list())
    for (const std::string_view field :
         {"replicas", "minAvailable", "partitionPolicy.partitionSize", "partitionPolicy.minPartitions"})
      if (auto count = asked_count(workload, task, "spec.tasks", field, 0); !count) return fail(std::move(count.error()));
  return {};
}

}  // namespace

Result<MadePods> pods_of_job(Submitted& workload, const Surroundings&) {
  const auto& job = workload.object;
  if (job.true_at("spec.suspend"))
    return fail(refused_workload(workload, "spec.suspend", "it is suspended: nobody makes its pods"));
  const auto at_once = pods_at_once(workload, job, "", "spec");
  if (!at_once) return fail(at_once.error());
  auto out = room_for(workload, "spec.parallelism", {{*at_once, job.find("spec")}});
  if (!out) return out;
  out->places = places_of_template();
  out->pods = pods_of_one_job(job, *at_once);
  const auto completions = job.integer_at("spec.completions");
  if (completions && *completions > *at_once)
    out->notes.push_back(fmt::format("of the {} pods of {}, {} are there at once, and these are asked about", *completions,
                                     shown(workload), *at_once));
  return out;
}

Result<MadePods> pods_of_deployment(Submitted& workload, const Surroundings&) {
  const auto& deployment = workload.object;
  if (deployment.true_at("spec.paused"))
    return fail(refused_workload(workload, "spec.paused", "it is paused: nobody makes its pods"));
  auto set = replica_set_of(deployment, std::string(kNewRevision), 1);
  set["metadata"]["namespace"] = Tree(deployment.text_at("metadata.namespace"));
  set["metadata"]["uid"] = Tree(fmt::format("{}-{}", deployment.text_at("metadata.uid"), kNewRevision));
  auto out = pods_of_replicas(workload, set, deployment.text_at("metadata.name"));
  if (out) out->owners.push_back({kReplicaSet, std::move(set)});
  return out;
}

Result<MadePods> pods_of_replica_set(Submitted& workload, const Surroundings&) {
  return pods_of_replicas(workload, workload.object, workload.object.text_at("metadata.name"));
}

Result<MadePods> pods_of_stateful_set(Submitted& workload, const Surroundings&) {
  const auto& set = workload.object;
  const auto count = asked_count(workload, "spec.replicas", 1);
  if (!count) return fail(count.error());
  auto out = room_for(workload, "spec.replicas", {{*count, set.find("spec")}});
  if (!out) return out;
  out->places = places_of_template();
  for (std::int64_t i = 0; i < *count; ++i) out->pods.push_back({stateful_pod(set, i, std::string(kNewRevision))});
  if (*count > 1 && set.text_at("spec.podManagementPolicy") != "Parallel")
    out->notes.push_back(
        fmt::format("the pods of {} are made one after the other, each when the one before it is ready; "
                    "they are asked about together",
                    shown(workload)));
  return out;
}

Result<MadePods> pods_of_volcano_job(Submitted& workload, const Surroundings& surroundings) {
  if (auto counts = check_counts_of_tasks(workload); !counts) return fail(std::move(counts.error()));
  default_volcano_job(workload.object);
  const VolcanoJob job(workload.object);
  const auto by_name = tasks_by_name(job);
  std::vector<PodsAsked> asked;
  for (const auto& task : job.tasks) asked.push_back({starts_first(by_name, task) ? task.replicas : 0, task.spec});
  auto out = room_for(workload, "spec.tasks", asked);
  if (!out) return out;
  if (job.min_available > job.replicas())
    return fail(refused_workload(
        workload, "spec.minAvailable",
        fmt::format("is {}, and its tasks have {} pods: Volcano refuses that", job.min_available, job.replicas())));
  auto group = volcano_job_group(job, [&](const std::string& name) { return priority_of_class(surroundings, name); });
  group["metadata"]["namespace"] = Tree(job.ns);
  out->groups.push_back({std::move(group), job.name});
  out->places = places_of_volcano_job(job, surroundings.grouper);
  for (const auto& task : job.tasks) {
    if (!starts_first(by_name, task)) {
      out->notes.push_back(
          fmt::format("the task {} of {} waits for others to run, and its pods are not asked about", task.name, shown(workload)));
      continue;
    }
    for (std::int64_t i = 0; i < task.replicas; ++i) out->pods.push_back({volcano_job_pod(job, task, i)});
  }
  return out;
}

Result<std::int64_t> pods_at_once(const Submitted& workload, const Tree& part, std::string_view where, std::string_view spec) {
  const auto completions = asked_count(workload, part, where, fmt::format("{}.completions", spec), kMostAmount);
  if (!completions) return completions;
  const auto parallelism = asked_count(workload, part, where, fmt::format("{}.parallelism", spec), 1);
  if (!parallelism) return parallelism;
  return std::min(*parallelism, *completions);
}

std::vector<MadePod> pods_of_one_job(const Tree& job, std::int64_t count) {
  std::vector<MadePod> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back({named(job_pod(job, is_indexed(job) ? std::optional(i) : std::nullopt), job.text_at("metadata.name"), i)});
  return out;
}

}  // namespace muster::sim
