#include "policy/kai/job_clone.h"

#include <algorithm>

namespace muster::kai {
namespace {

// How many members of a part are there at all; minimums of sets and PodSets become at most that.
std::int32_t lower_minimums(SubGroups& groups, SubGroupId id) {
  const auto& part = groups[id];
  std::int32_t present = 0;
  if (part.is_pod_set)
    present = static_cast<std::int32_t>(part.pods.size());
  else
    for (const auto member : part.children) present += lower_minimums(groups, member) > 0 ? 1 : 0;
  groups.set_minimum(id, std::min(part.minimum, present));
  return present;
}

}  // namespace

Job clone_with(const Cluster& cluster, const Job& job, std::span<const PodId> tasks) {
  Job clone;
  clone.id = job.id;
  clone.is_trial = true;
  clone.ns = job.ns;
  clone.name = job.name;
  clone.created = job.created;
  clone.queue = job.queue;
  clone.queue_name = job.queue_name;
  clone.priority = job.priority;
  clone.preemptible = job.preemptible;
  clone.groups = job.groups.bare();
  for (const auto pod : tasks) {
    const auto& task = cluster.task(pod);
    clone.groups.add_pod(task.pod_set, pod, task.status);
    if (kQuotaAllocated.contains(task.status)) clone.requested.add(cluster.request_sums(pod), +1);
  }
  return clone;
}

Job partial_job(const Cluster& cluster, const Job& job, std::span<const PodId> tasks) {
  auto clone = clone_with(cluster, job, tasks);
  lower_minimums(clone.groups, clone.groups.root());
  return clone;
}

}  // namespace muster::kai
