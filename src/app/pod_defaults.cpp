#include "app/pod_defaults.h"

namespace muster {

bool default_requests(Pod& pod) {
  bool given = false;
  for (auto* containers : {&pod.spec.init_containers, &pod.spec.containers})
    for (auto& container : *containers)
      for (const auto& [resource, amount] : container.limits) given |= container.requests.try_emplace(resource, amount).second;
  return given;
}

std::string_view wanted_scheduler(const Pod& pod) {
  return pod.spec.scheduler_name.empty() ? std::string_view("default-scheduler") : std::string_view(pod.spec.scheduler_name);
}

}  // namespace muster
