#include "policy/kai/actions/domain_capacity.h"

#include <algorithm>
#include <functional>

#include "policy/kai/actions/packing.h"
#include "policy/kai/gpu_capacity.h"

namespace muster::kai {

DomainCapacity::DomainCapacity(const Session& session, const Job& job) : session_(session) {
  require(job, job.groups.root());
  const auto& cluster = session.cluster();
  for (auto& level : levels_) {
    std::sort(level.needs.begin(), level.needs.end(), std::greater<>());
    for (const auto node : cluster.nodes_by_name())
      if (const auto value = cluster.books().node(node).labels.get(level.label); !value.empty())
        level.free[std::string(value)] += idle_gpus(cluster, node).gpus + releasing_gpus(cluster, node).gpus;
  }
}

void DomainCapacity::require(const Job& job, SubGroupId set) {
  const auto& part = job.part(set);
  if (part.is_pod_set) return;
  const auto& [topology, required, preferred] = part.constraint;
  if (!required.empty()) {
    auto level = std::find_if(levels_.begin(), levels_.end(), [&](const Level& known) {
      return known.topology == part.constraint.topology && known.label == part.constraint.required_level;
    });
    if (level == levels_.end()) level = levels_.insert(levels_.end(), {topology, required, {}, {}});
    level->needs.push_back(need_of(job, set));
  }
  for (const auto member : part.children) require(job, member);
}

double DomainCapacity::need_of(const Job& job, SubGroupId id) const {
  const auto& part = job.part(id);
  double need = 0;
  for (const auto pod : part.pods) need += session_.cluster().task(pod).gpu.quota();
  for (const auto member : part.children) need += need_of(job, member);
  return need;
}

void DomainCapacity::free_room(PodId pod) {
  const auto& task = session_.cluster().task(pod);
  if (levels_.empty() || !session_.cluster().known(task.node)) return;
  for (auto& level : levels_)
    if (const auto domain = level.free.find(session_.books().node(task.node).labels.get(level.label)); domain != level.free.end())
      domain->second += task.accepted[Share::kGpu];
}

bool DomainCapacity::suffices() const {
  return std::all_of(levels_.begin(), levels_.end(), [](const Level& level) { return suffices(level); });
}

bool DomainCapacity::suffices(const Level& level) {
  std::vector<double> rooms;
  for (const auto& [value, free] : level.free) rooms.push_back(free);
  std::sort(rooms.begin(), rooms.end(), std::greater<>());
  return packs(level.needs, rooms);
}

}  // namespace muster::kai
