#include "app/whatif_group.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/pod_defaults.h"
#include "app/printable_text.h"

namespace muster {
namespace {

constexpr const char* kVolcanoGroup = "scheduling.k8s.io/group-name";
constexpr const char* kVolcanoQueue = "scheduling.volcano.sh/queue-name";
constexpr const char* kKaiGroup = "pod-group-name";
constexpr const char* kKaiQueue = "kai.scheduler/queue";

// What containers ask for together, or the largest init container where that is more.
ResourceList asked_by(const PodSpec& spec) {
  ResourceList sum;
  for (const auto& container : spec.containers)
    for (const auto& [resource, amount] : container.requests) {
      const auto [known, is_new] = sum.try_emplace(resource, amount);
      if (!is_new) known->second = known->second + amount;
    }
  for (const auto& container : spec.init_containers)
    for (const auto& [resource, amount] : container.requests) {
      const auto [known, is_new] = sum.try_emplace(resource, amount);
      known->second = std::max(known->second, amount);
    }
  return sum;
}

}  // namespace

std::string group_of(const Pod& pod, Dialect dialect) {
  return std::string(pod.meta.annotations.get(dialect == Dialect::kKai ? kKaiGroup : kVolcanoGroup));
}

std::string placed_by_another(const Pod& pod, const std::vector<std::string>& ours) {
  return fmt::format(
      "spec.schedulerName is \"{}\", and this scheduler places pods of {}: set spec.schedulerName: {} of a pod, or "
      "spec.template.spec.schedulerName: {} of a workload",
      wanted_scheduler(pod), listed(ours, kMostNamed), ours.front(), ours.front());
}

Object group_for_pod(Pod& pod, Dialect dialect) {
  const auto complete = [&](auto group) {
    group.meta.name = pod.meta.name;
    group.meta.ns = pod.meta.ns;
    group.min_member = 1;
    group.priority_class = pod.spec.priority_class;
    return group;
  };
  if (dialect == Dialect::kKai) {
    auto group = complete(KaiPodGroup());
    group.queue = pod.meta.labels.get(kKaiQueue);
    pod.meta.annotations.set(kKaiGroup, pod.meta.name);
    return group;
  }
  auto group = complete(PodGroup());
  group.queue = pod.meta.annotations.get(kVolcanoQueue);
  group.min_resources = asked_by(pod.spec);
  pod.meta.annotations.set(kVolcanoGroup, pod.meta.name);
  return group;
}

}  // namespace muster
