#include "policy/kai/plugins/taskorder.h"

#include "policy/kai/session.h"

namespace muster::kai {

int TaskOrder::compare_tasks(PodId left, PodId right) {
  const auto& l = session().cluster().task(left);
  const auto& r = session().cluster().task(right);
  if (l.has_priority_label != r.has_priority_label) return l.has_priority_label ? -1 : 1;
  if (!l.has_priority_label) return 0;
  if (!l.priority) return 1;
  if (!r.priority) return -1;
  return *l.priority == *r.priority ? 0 : *l.priority > *r.priority ? -1 : 1;
}

}  // namespace muster::kai
