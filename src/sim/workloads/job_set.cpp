// JobSets: so many batch/v1 Jobs of each replicated job, and their pods.

#include <fmt/format.h>

#include "sim/fields.h"
#include "sim/workloads/built_in_kinds.h"
#include "sim/workloads/operator_pods.h"
#include "sim/workloads/operators.h"
#include "sim/workloads/question_room.h"
#include "sim/workloads/replicas.h"

namespace muster::sim {
namespace {

constexpr std::string_view kJobSetController = "jobset.sigs.k8s.io/jobset-controller";
constexpr std::string_view kExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";
constexpr const char* kNotExclusive =
    "a topology of its own for each Job is not known here: its followers are made when their leaders have nodes";

struct ReplicatedJob {
  const Tree* spec;
  std::string name;
  std::int64_t replicas = 1;
  std::int64_t pods = 1;   // of each Job at once
  std::int64_t first = 0;  // index of its first Job in the whole set
};

struct JobSetParts {
  std::vector<ReplicatedJob> jobs;
  std::int64_t all = 0;  // Jobs
};

Result<JobSetParts> parts_of(const Submitted& workload) {
  const auto* specs = workload.object.at("spec.replicatedJobs");
  if (specs == nullptr || !specs->is_list() || specs->as_list()->empty())
    return fail(refused_workload(workload, "spec.replicatedJobs", "it is missing: a JobSet has at least one"));
  JobSetParts out;
  for (const auto& spec : *specs->as_list()) {
    const auto replicas = asked_count(workload, spec, "spec.replicatedJobs", "replicas", 1);
    if (!replicas) return fail(replicas.error());
    const auto pods = pods_at_once(workload, spec, "spec.replicatedJobs", "template.spec");
    if (!pods) return fail(pods.error());
    ReplicatedJob job{&spec, std::string(spec.text_at("name")), *replicas, *pods, out.all};
    if (job.name.empty())
      return fail(refused_workload(workload, "spec.replicatedJobs.name", "it is missing: every replicated job has a name"));
    const auto* annotations = spec.at("template.metadata.annotations");
    if (annotations != nullptr && annotations->find(kExclusive) != nullptr)
      return fail(refused_workload(workload, "spec.replicatedJobs.template.metadata.annotations", kNotExclusive));
    out.all = bounded(out.all + job.replicas);
    out.jobs.push_back(std::move(job));
  }
  return out;
}

// What says of a Job and of its pods where they belong.
void mark(Tree& object, const Submitted& workload, const JobSetParts& set, const ReplicatedJob& job, std::int64_t index) {
  const std::pair<std::string_view, std::string> marks[] = {
      {"jobset.sigs.k8s.io/jobset-name", std::string(workload.object.text_at("metadata.name"))},
      {"jobset.sigs.k8s.io/jobset-uid", std::string(workload.object.text_at("metadata.uid"))},
      {"jobset.sigs.k8s.io/replicatedjob-name", job.name},
      {"jobset.sigs.k8s.io/replicatedjob-replicas", fmt::format("{}", job.replicas)},
      {"jobset.sigs.k8s.io/restart-attempt", "0"},
      {"jobset.sigs.k8s.io/global-replicas", fmt::format("{}", set.all)},
      {"jobset.sigs.k8s.io/job-index", fmt::format("{}", index)},
      {"jobset.sigs.k8s.io/job-global-index", fmt::format("{}", job.first + index)},
  };
  for (const std::string_view field : {"labels", "annotations"})
    for (const auto& [key, value] : marks) object["metadata"][field][key] = Tree(value);
}

Submitted child_job(const Submitted& workload, const JobSetParts& set, const ReplicatedJob& job, std::int64_t index) {
  auto out = owned_object(workload, kBatchJob, fmt::format("{}-{}-{}", workload.object.text_at("metadata.name"), job.name, index),
                          workload);
  for (const std::string_view path : {"metadata.labels", "metadata.annotations", "spec"})
    if (const auto* own = job.spec->at(fmt::format("template.{}", path))) out.object.make(path) = *own;
  auto& spec = out.object["spec"];
  if (spec.text_at("completionMode").empty()) spec["completionMode"] = Tree("Indexed");
  mark(out.object, workload, set, job, index);
  mark(spec["template"], workload, set, job, index);
  return out;
}

bool waits_for_others(const ReplicatedJob& job) {
  const auto* others = job.spec->find("dependsOn");
  return others != nullptr && others->is_list() && !others->as_list()->empty();
}

void add_jobs(const Submitted& workload, const JobSetParts& set, const ReplicatedJob& job, Grouper grouper, MadePods& out) {
  if (job.pods == 0) return;
  for (std::int64_t i = 0; i < job.replicas; ++i) {
    auto child = child_job(workload, set, job, i);
    for (auto& pod : pods_of_one_job(child.object, job.pods)) {
      if (grouper == Grouper::kVolcano) pod.group = child.object.text_at("metadata.name");  // of which each has its own
      out.pods.push_back(std::move(pod));
    }
    child.object.erase("spec");
    out.owners.push_back(std::move(child));
  }
}

}  // namespace

Result<MadePods> pods_of_job_set(Submitted& workload, const Surroundings& surroundings) {
  if (auto run = refuse_if_not_run(workload, "spec.suspend", "spec.managedBy", kJobSetController); !run)
    return fail(std::move(run.error()));
  if (!annotation_of(workload.object, kExclusive).empty())
    return fail(refused_workload(workload, "metadata.annotations", kNotExclusive));
  const auto set = parts_of(workload);
  if (!set) return fail(set.error());
  if (set->all > static_cast<std::int64_t>(kMostPods))
    return fail(refused_workload(workload, "spec.replicatedJobs",
                                 fmt::format("it asks for {} Jobs: {} pods at most can be asked about", set->all, kMostPods)));
  const bool in_order = workload.object.text_at("spec.startupPolicy.startupPolicyOrder") == "InOrder";
  const auto comes_later = [&](const ReplicatedJob& job) {
    return waits_for_others(job) || (in_order && &job != set->jobs.data());
  };
  std::vector<PodsAsked> asked;
  for (const auto& job : set->jobs) asked.push_back({comes_later(job) ? 0 : job.replicas * job.pods, job.spec});
  auto out = room_for(workload, "spec.replicatedJobs", asked);
  if (!out) return out;
  for (const auto& job : set->jobs)
    if (comes_later(job))
      out->notes.push_back(fmt::format("the Jobs {} of {} are made when others are ready, and their pods are not asked about",
                                       job.name, shown(workload)));
    else
      add_jobs(workload, *set, job, surroundings.grouper, *out);
  if (surroundings.grouper == Grouper::kVolcano)
    out->notes.push_back(
        fmt::format("Volcano makes a PodGroup for each Job of {}: its annotation scheduling.volcano.sh/group-min-member, "
                    "in the template of the Job, says how many pods of it start together, else one does",
                    shown(workload)));
  return out;
}

}  // namespace muster::sim
