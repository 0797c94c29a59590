#pragma once

#include <cstdint>
#include <vector>

#include "engine/ids.h"

namespace muster::kai {

// Which jobs a cycle has to look at, so that it costs what changed and what waits rather than what is there: those with tasks that
// wait, and those of which something changed since a cycle last closed. Small enough for all jobs to be asked about.
class JobWatch {
 public:
  void add_job();  // the next id
  // The job is gone, and another one may get its id.
  void forget(GroupId id) { flags_[id] = 0, waiting_[id] = 0; }

  // Something about the job or one of its tasks changed.
  void note(GroupId id) { flags_[id] |= kChanged | kMayBeStale; }
  // Tasks that are pending or gated came or went.
  void count_waiting(GroupId id, std::int64_t by) { waiting_[id] += static_cast<std::uint32_t>(by); }
  bool waits(GroupId id) const { return waiting_[id] != 0; }

  // What the cycle has to write about it may differ from what is written.
  bool is_due(GroupId id) const { return waits(id) || (flags_[id] & kChanged) != 0; }
  // The same, or so it was for the cycle before: what a cycle learned of it may have to be forgotten.
  bool was_due(GroupId id) const { return is_due(id) || (flags_[id] & kWasDue) != 0; }
  void cycle_closed();

  // Whether it may run with too few pods: until it was looked at, and again after every change.
  bool may_be_stale(GroupId id) const { return (flags_[id] & kMayBeStale) != 0; }
  void is_not_stale(GroupId id) { flags_[id] &= static_cast<std::uint8_t>(~kMayBeStale); }

 private:
  static constexpr std::uint8_t kChanged = 1, kWasDue = 2, kMayBeStale = 4;

  IdVector<GroupId, std::uint8_t> flags_;
  IdVector<GroupId, std::uint32_t> waiting_;
};

}  // namespace muster::kai
