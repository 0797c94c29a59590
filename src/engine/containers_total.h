#pragma once

#include "engine/amounts.h"
#include "model/objects.h"

namespace muster {

inline void raise_all(Amounts& amounts, const Amounts& other) {
  for (const auto& [id, amount] : other) amounts.raise(id, amount);
}

// What the containers of a pod need together, each what request_of() says of it: those that run side by side, with the sidecars, or
// the start-up peak where that is more.
template <class RequestOf>
Amounts containers_total(const Pod& pod, RequestOf request_of) {
  Amounts sum, sidecars, peak;
  for (const auto& container : pod.spec.containers) sum += request_of(container);
  for (const auto& container : pod.spec.init_containers) {
    auto request = request_of(container);
    if (container.restartable) {
      sum += request;
      sidecars += request;
      raise_all(peak, sidecars);
    } else {
      request += sidecars;
      raise_all(peak, request);
    }
  }
  raise_all(sum, peak);
  return sum;
}

}  // namespace muster
