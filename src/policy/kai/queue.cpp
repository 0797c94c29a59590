#include "policy/kai/queue.h"

#include <algorithm>
#include <map>

namespace muster::kai {
namespace {

constexpr std::int32_t kDefaultPriority = 100;
constexpr std::string_view kCommonParent = "default";
constexpr double kBytesPerUnit = 1'000'000;

// Memory has a floor at "no bound", so that every negative amount means it.
double memory_amount(double megabytes) { return std::max(kUnlimited, megabytes * kBytesPerUnit); }

QueueInfo info_of(const KaiQueue& queue) {
  QueueInfo info;
  info.name = queue.meta.name;
  info.display_name = queue.display_name.empty() ? queue.meta.name : queue.display_name;
  info.created = queue.meta.created;
  info.priority = queue.priority.value_or(kDefaultPriority);
  info.parent_name = queue.parent;
  info.quota = {{queue.cpu.quota, memory_amount(queue.memory.quota), queue.gpu.quota}};
  info.limit = {{queue.cpu.limit, memory_amount(queue.memory.limit), queue.gpu.limit}};
  info.weight = {{queue.cpu.over_quota_weight, queue.memory.over_quota_weight, queue.gpu.over_quota_weight}};
  info.preempt_min_runtime = queue.preempt_min_runtime;
  info.reclaim_min_runtime = queue.reclaim_min_runtime;
  return info;
}

QueueInfo common_parent(Timestamp now) {
  QueueInfo info;
  info.name = info.display_name = kCommonParent;
  info.created = now;
  info.priority = kDefaultPriority;
  info.quota = info.limit = {{kUnlimited, kUnlimited, kUnlimited}};
  info.weight = {{1, 1, 1}};
  return info;
}

}  // namespace

void QueueTree::build(const std::list<KaiQueue>& queues, Levels levels, Timestamp now) {
  std::vector<QueueInfo> known;
  std::map<std::string, std::size_t> places;
  if (levels == Levels::kWithoutDepartments) known.push_back(common_parent(now)), places[std::string(kCommonParent)] = 0;
  for (const auto& queue : queues) {
    if (levels == Levels::kWithoutDepartments && queue.parent.empty()) continue;
    auto info = info_of(queue);
    if (levels == Levels::kWithoutDepartments) info.parent_name = kCommonParent;
    // A queue named like the common parent takes its place.
    const auto [twin, fresh] = places.try_emplace(info.name, known.size());
    fresh ? known.push_back(std::move(info)) : void(known[twin->second] = std::move(info));
  }
  // Whether the way up ends at a root; a ring does not.
  const auto hangs_on_root = [&](const QueueInfo& info) {
    const auto* at = &info;
    for (std::size_t steps = 0; steps <= known.size(); ++steps) {
      if (at->parent_name.empty()) return true;
      const auto parent = places.find(at->parent_name);
      if (parent == places.end()) return false;
      at = &known[parent->second];
    }
    return false;
  };
  queues_.clear();
  roots_.clear();
  names_.clear();
  for (const auto& info : known) {
    if (!hangs_on_root(info)) continue;
    const auto id = queues_.push_back(info);
    queues_[id].id = id;
    names_[info.name] = id;
  }
  for (auto& info : queues_) {
    info.parent = info.parent_name.empty() ? QueueId() : find(info.parent_name);
    info.parent ? queues_[info.parent].children.push_back(info.id) : roots_.push_back(info.id);
  }
}

QueueId QueueTree::find(std::string_view name) const {
  const auto found = names_.find(std::string(name));
  return found == names_.end() ? QueueId() : found->second;
}

std::vector<QueueId> QueueTree::path_to(QueueId queue) const {
  std::vector<QueueId> path;
  for (; queue; queue = queues_[queue].parent) path.push_back(queue);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace muster::kai
