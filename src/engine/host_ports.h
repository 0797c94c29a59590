#pragma once

#include <vector>

#include "model/objects.h"

namespace muster {

// The ports of its node that a pod takes. Init containers end before the others begin, but for those that are restarted.
inline std::vector<ContainerPort> host_ports_of(const Pod& pod) {
  std::vector<ContainerPort> out;
  const auto take = [&](const Container& container) {
    for (const auto& port : container.ports)
      if (port.host_port > 0) out.push_back(port);
  };
  for (const auto& container : pod.spec.containers) take(container);
  for (const auto& container : pod.spec.init_containers)
    if (container.restartable) take(container);
  return out;
}

}  // namespace muster
