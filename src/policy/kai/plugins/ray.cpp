#include "policy/kai/plugins/ray.h"

#include "policy/kai/session.h"

namespace muster::kai {

int Ray::compare_tasks(PodId left, PodId right) {
  const auto& cluster = session().cluster();
  return static_cast<int>(cluster.task(right).is_head) - static_cast<int>(cluster.task(left).is_head);
}

}  // namespace muster::kai
