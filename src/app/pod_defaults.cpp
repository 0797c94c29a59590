#include "app/pod_defaults.h"

namespace muster {

bool default_requests(Pod& pod) {
  bool given = false;
  for (auto* containers : {&pod.spec.init_containers, &pod.spec.containers})
    for (auto& container : *containers)
      for (const auto& [resource, amount] : container.limits) given |= container.requests.try_emplace(resource, amount).second;
  return given;
}

}  // namespace muster
