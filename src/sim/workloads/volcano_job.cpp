#include "sim/workloads/volcano_job.h"

#include <algorithm>
#include <fmt/format.h>

#include "grouping/object.h"
#include "grouping/pod_usage.h"
#include "grouping/volcano.h"
#include "sim/fields.h"
#include "sim/volcano_admission.h"
#include "sim/workloads/pod_amounts.h"
#include "sim/workloads/pod_template.h"

namespace muster::sim {
namespace {

constexpr std::int64_t kMostReplicas = 100'000;

struct RankedTask {
  const VolcanoTask* task;
  std::int64_t priority = 0;
  ResourceList usage;
};

// The highest priority first.
std::vector<RankedTask> ranked(const VolcanoJob& job, const PriorityOf& priority_of) {
  std::vector<RankedTask> out;
  for (const auto& task : job.tasks) {
    RankedTask one{&task, 0, template_amounts(task.spec->find("template"), grouping::quota_usage)};
    const std::string name(task.spec->text_at("template.spec.priorityClassName"));
    if (!name.empty()) one.priority = priority_of(name).value_or(0);
    out.push_back(std::move(one));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.priority > b.priority; });
  return out;
}

// What the pods need that must be there: the least of each task, then others by priority, until there are enough.
ResourceList min_resources(const VolcanoJob& job, const PriorityOf& priority_of) {
  ResourceList out;
  auto left = job.min_available;
  const auto tasks = ranked(job, priority_of);
  const auto take = [&](const RankedTask& task, std::int64_t count) {
    const auto taken = std::clamp<std::int64_t>(count, 0, left);  // min_available is not negative
    grouping::add_to(out, grouping::times(task.usage, taken));
    left -= taken;
  };
  if (job.min_available < job.tasks_min_available()) {
    for (const auto& task : tasks) take(task, task.task->replicas);
    return out;
  }
  for (const auto& task : tasks) take(task, task.task->min_available);
  for (const auto& task : tasks) take(task, task.task->replicas - task.task->min_available);
  return out;
}

Tree task_members(const VolcanoJob& job) {
  Tree out = Tree::map();
  for (const auto& task : job.tasks) out[task.name] = Tree(task.min_available);
  return out;
}

Tree sub_group_policies(const VolcanoJob& job) {
  Tree out = Tree::list();
  for (const auto& task : job.tasks) {
    const auto* policy = task.spec->find("partitionPolicy");
    if (policy == nullptr || !policy->is_map()) continue;
    Tree one = Tree::map();
    one["name"] = Tree(task.name);
    one["subGroupSize"] = Tree(bounded_at(*policy, "partitionSize").value_or(0));
    one["minSubGroups"] = Tree(bounded_at(*policy, "minPartitions").value_or(0));
    one["labelSelector"]["matchLabels"]["volcano.sh/task-spec"] = Tree(task.name);
    one["matchLabelKeys"].push_back(Tree("volcano.sh/partition-id"));
    if (const auto* topology = policy->find("networkTopology")) one["networkTopology"] = *topology;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

VolcanoJob::VolcanoJob(const Tree& job)
    : tree(job),
      ns(job.text_at("metadata.namespace")),
      name(job.text_at("metadata.name")),
      uid(job.text_at("metadata.uid")),
      queue(job.text_at("spec.queue")),
      min_available(bounded_at(job, "spec.minAvailable").value_or(0)),
      max_retry(bounded_at(job, "spec.maxRetry").value_or(kVolcanoRetries)),
      version(bounded_at(job, "status.version").value_or(0)) {
  const auto* list = job.at("spec.tasks");
  if (list == nullptr || !list->is_list()) return;
  for (const auto& spec : *list->as_list()) {
    VolcanoTask task;
    task.spec = &spec;
    task.name = spec.text_at("name");
    task.replicas = std::min(bounded_at(spec, "replicas").value_or(0), kMostReplicas);
    task.min_available = bounded_at(spec, "minAvailable").value_or(task.replicas);
    tasks.push_back(std::move(task));
  }
}

std::int64_t VolcanoJob::replicas() const {
  std::int64_t out = 0;
  for (const auto& task : tasks) out += task.replicas;
  return out;
}

std::int64_t VolcanoJob::tasks_min_available() const {
  std::int64_t out = 0;
  for (const auto& task : tasks) out += task.min_available;
  return out;
}

const VolcanoTask* VolcanoJob::task(std::string_view task_name) const {
  const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const auto& one) { return one.name == task_name; });
  return found == tasks.end() ? nullptr : &*found;
}

Tree updated_volcano_group(Tree group, const VolcanoJob& job, const PriorityOf& priority_of) {
  auto& spec = group["spec"];
  spec["minMember"] = Tree(job.min_available);
  spec["minTaskMember"] = task_members(job);
  spec["minResources"] = resources_of(min_resources(job, priority_of));
  if (const auto priority = job.tree.text_at("spec.priorityClassName"); !priority.empty())
    spec["priorityClassName"] = Tree(priority);
  if (auto policies = sub_group_policies(job); !policies.as_list()->empty()) spec["subGroupPolicy"] = std::move(policies);
  return group;
}

Tree volcano_job_group(const VolcanoJob& job, const PriorityOf& priority_of) {
  Tree out = Tree::map();
  out["apiVersion"] = Tree(grouping::kVolcanoPodGroup.api_version());
  out["kind"] = Tree("PodGroup");
  out["metadata"]["name"] = Tree(job.group_name());
  for (const std::string_view field : {"labels", "annotations"})
    if (const auto* own = job.tree.at(fmt::format("metadata.{}", field))) out["metadata"][field] = *own;
  out["metadata"]["ownerReferences"].push_back(controller_reference(kVolcanoJob, job.tree));
  out["spec"]["queue"] = Tree(job.queue);
  if (const auto* topology = job.tree.at("spec.networkTopology"); topology != nullptr && topology->is_map())
    out["spec"]["networkTopology"] = *topology;
  return updated_volcano_group(std::move(out), job, priority_of);
}

Tree volcano_job_pod(const VolcanoJob& job, const VolcanoTask& task, std::int64_t index) {
  auto pod = pod_from(task.spec->find("template"), kVolcanoJob, job.tree);
  auto& metadata = pod["metadata"];
  metadata["name"] = Tree(fmt::format("{}-{}-{}", job.name, task.name, index));
  for (const auto& [field, from] :
       {std::pair("spec.schedulerName", "spec.schedulerName"), std::pair("spec.priorityClassName", "spec.priorityClassName")})
    if (const auto value = job.tree.text_at(from); pod.text_at(field).empty() && !value.empty()) pod.make(field) = Tree(value);
  const auto number = fmt::format("{}", index);
  const auto task_name = task.name.empty() ? std::string("default") : task.name;
  const std::pair<std::string_view, std::string> both[] = {{"volcano.sh/task-index", number},
                                                           {"volcano.sh/task-spec", task_name},
                                                           {"volcano.sh/job-name", job.name},
                                                           {"volcano.sh/queue-name", job.queue}};
  for (const auto& [key, value] : both) {
    metadata["annotations"][key] = Tree(value);
    metadata["labels"][key] = Tree(value);
  }
  metadata["labels"]["volcano.sh/job-namespace"] = Tree(job.ns);
  auto& annotations = metadata["annotations"];
  annotations[grouping::kVolcanoGroupName] = Tree(job.group_name());
  annotations["volcano.sh/job-version"] = Tree(fmt::format("{}", job.version));
  annotations["volcano.sh/template-uid"] = Tree(fmt::format("{}-{}", job.name, task.name));
  annotations["volcano.sh/job-retry-count"] = Tree(fmt::format("{}", job.tree.integer_at("status.retryCount").value_or(0)));
  if (const auto policy = task.spec->text_at("topologyPolicy"); !policy.empty())
    annotations["volcano.sh/numa-topology-policy"] = Tree(policy);
  for (const std::string_view key : {"volcano.sh/preemptable", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone",
                                     "volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"})
    if (const auto value = annotation_of(job.tree, key); !value.empty()) annotations[key] = Tree(value);
  for (const auto& [key, value] : texts_of(job.tree.at("metadata.labels")))
    if (key == "volcano.sh/preemptable" || key == "volcano.sh/cooldown-time") metadata["labels"][key] = Tree(value);
  if (const auto* policy = task.spec->find("partitionPolicy"); policy != nullptr && policy->is_map()) {
    const auto size = bounded_at(*policy, "partitionSize").value_or(0);
    metadata["labels"]["volcano.sh/partition-id"] = Tree(fmt::format("{}", size == 0 ? 0 : index / size));
  }
  return pod;
}

}  // namespace muster::sim
