#include "policy/kai/plugins/kubeflow.h"

#include "policy/kai/session.h"

namespace muster::kai {

int Kubeflow::compare_tasks(PodId left, PodId right) {
  const auto& cluster = session().cluster();
  return static_cast<int>(cluster.task(right).is_master) - static_cast<int>(cluster.task(left).is_master);
}

}  // namespace muster::kai
