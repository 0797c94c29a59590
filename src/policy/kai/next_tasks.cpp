#include "policy/kai/next_tasks.h"

#include <algorithm>

#include "policy/kai/session.h"

namespace muster::kai {
namespace {

class Collector {
 public:
  Collector(Session& session, const Job& job, Mode mode) : session_(session), job_(job), mode_(mode) {}

  // Nothing when a part that is required cannot be made complete.
  std::vector<PodId> collect(SubGroupId id) { return job_.part(id).is_pod_set ? collect_pods(job_.part(id)) : collect_members(id); }

 private:
  std::vector<PodId> collect_pods(const SubGroup& pod_set) {
    std::vector<PodId> eligible;
    for (const auto pod : pod_set.pods)
      if (is_eligible(session_, pod, mode_)) eligible.push_back(pod);
    const auto lacking = static_cast<std::int64_t>(pod_set.minimum) - static_cast<std::int64_t>(pod_set.active_allocated);
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(lacking, 1));
    const auto before = [&](PodId left, PodId right) { return session_.task_before(left, right); };
    const auto taken = std::min(wanted, eligible.size());
    std::partial_sort(eligible.begin(), eligible.begin() + static_cast<std::ptrdiff_t>(taken), eligible.end(), before);
    eligible.resize(taken);
    return eligible;
  }

  std::vector<PodId> collect_members(SubGroupId set) {
    const auto members = session_.ordered_members(job_, set);
    const auto threshold = job_.part(set).minimum;
    if (job_.groups.satisfied_members(set) >= threshold) {
      for (const auto member : members)
        if (auto tasks = collect(member); !tasks.empty()) return tasks;
      return {};
    }
    std::vector<PodId> all;
    const auto chosen = std::min<std::size_t>(members.size(), static_cast<std::size_t>(std::max(threshold, 0)));
    for (std::size_t i = 0; i < chosen; ++i) {
      if (job_.groups.satisfied(members[i])) continue;
      const auto tasks = collect(members[i]);
      if (tasks.empty()) return {};
      all.insert(all.end(), tasks.begin(), tasks.end());
    }
    return all;
  }

  Session& session_;
  const Job& job_;
  Mode mode_;
};

}  // namespace

bool is_eligible(const Session& session, PodId pod, Mode mode) {
  const auto& task = session.cluster().task(pod);
  return task.status == Status::kPending || (mode == Mode::kSimulation && task.status == Status::kReleasing && task.is_virtual);
}

bool has_eligible_tasks(const Session& session, const Job& job, Mode mode) {
  bool any = false;
  job.for_each_pod([&](PodId pod) { any = any || is_eligible(session, pod, mode); });
  return any;
}

const std::vector<PodId>& next_tasks(Session& session, Job& job, Mode mode) {
  if (!job.next_tasks) job.next_tasks = Collector(session, job, mode).collect(job.groups.root());
  return *job.next_tasks;
}

const Quantities& next_request(Session& session, Job& job, Mode mode) {
  if (job.next_request) return *job.next_request;
  const auto& cluster = session.cluster();
  Quantities sum;
  for (const auto pod : next_tasks(session, job, mode)) {
    if (!is_eligible(session, pod, mode)) continue;
    const auto& gpu = cluster.task(pod).gpu;
    sum += quantities_of(session.books().shape_of(pod).request, gpu.quota());
    if (gpu.kind == GpuKind::kMemory && cluster.least_gpu_memory() > 0)
      sum[Share::kGpu] +=
          static_cast<double>(gpu.devices) * (static_cast<double>(gpu.memory) / static_cast<double>(cluster.least_gpu_memory()));
  }
  return job.next_request.emplace(sum);
}

}  // namespace muster::kai
