#pragma once

#include <string>

#include "model/time.h"
#include "policy/kai/quantities.h"

namespace muster::kai {

// What a queue has, wants and may have.
struct QueueShare {
  std::string name;
  Timestamp created;
  std::int32_t priority = 0;
  Quantities deserved;    // its quota
  Quantities limit;       // -1: none
  Quantities weight;      // in what is left over
  Quantities fair_share;  // its part of the cluster, or of its parent's
  Quantities allocated;
  Quantities allocated_fixed;  // of that, by jobs that cannot be preempted
  Quantities request;          // allocated and waited for
  Quantities usage;            // in the past

  // What it asks for, within its limit.
  double requestable(Share share) const;
  // What it may hold before others may take it back.
  double allocatable(Share share) const;
  Quantities allocatable() const;
  // The largest part of what it may hold that it does hold; of a resource that it may not hold, a thousand times the amount.
  double dominant_share(const Quantities& allocated_now, const Quantities& cluster) const;
};

}  // namespace muster::kai
