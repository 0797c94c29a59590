#include "policy/volcano/plugins/priority.h"

#include "policy/volcano/session.h"

namespace muster::volcano {

int Priority::compare_tasks(PodId left, PodId right) {
  const auto l = session().books().pod(left).priority;
  const auto r = session().books().pod(right).priority;
  return l == r ? 0 : l > r ? -1 : 1;
}

int Priority::compare_sub_jobs(const SubJob& left, const SubJob& right) {
  return left.priority == right.priority ? 0 : left.priority > right.priority ? -1 : 1;
}

}  // namespace muster::volcano
