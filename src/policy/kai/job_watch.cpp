#include "policy/kai/job_watch.h"

namespace muster::kai {

void JobWatch::add_job() {
  flags_.push_back(0);
  waiting_.push_back(0);
}

void JobWatch::cycle_closed() {
  for (const auto id : IdRange<GroupId>(flags_.size())) {
    const auto stale = static_cast<std::uint8_t>(flags_[id] & kMayBeStale);
    flags_[id] = static_cast<std::uint8_t>(is_due(id) ? stale | kWasDue : stale);
  }
}

}  // namespace muster::kai
