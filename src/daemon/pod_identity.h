#pragma once

#include "engine/books.h"
#include "kube/object_decoder.h"

namespace muster::daemon {

// A pod of the books as requests to the API server name it.
inline kube::Identity pod_identity(const Books& books, PodId id) {
  const auto& pod = books.pod(id);
  return {books.symbols().text(pod.ns), pod.name, pod.uid, {}};
}

}  // namespace muster::daemon
