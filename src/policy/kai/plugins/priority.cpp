#include "policy/kai/plugins/priority.h"

namespace muster::kai {

int Priority::compare_jobs(const Job& left, const Job& right) {
  if (left.priority == right.priority) return 0;
  return left.priority > right.priority ? -1 : 1;
}

}  // namespace muster::kai
