#include "policy/kai/plugins/priority.h"

namespace muster::kai {

std::int64_t Priority::job_rank(const Job& job) const { return -static_cast<std::int64_t>(job.priority); }

}  // namespace muster::kai
