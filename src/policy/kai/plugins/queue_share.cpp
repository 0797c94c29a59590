#include "policy/kai/plugins/queue_share.h"

#include <algorithm>

namespace muster::kai {

double QueueShare::requestable(Share share) const {
  return limit[share] == kUnlimited ? request[share] : std::min(limit[share], request[share]);
}

double QueueShare::allocatable(Share share) const {
  if (deserved[share] == kUnlimited) return limit[share];
  const auto wanted = std::max(deserved[share], fair_share[share]);
  return limit[share] == kUnlimited ? wanted : std::min(limit[share], wanted);
}

Quantities QueueShare::allocatable() const {
  Quantities all;
  for (const auto share : kShares) all[share] = allocatable(share);
  return all;
}

double QueueShare::dominant_share(const Quantities& allocated_now, const Quantities& cluster) const {
  constexpr double kNothingAllowed = 1000;
  double dominant = 0;
  for (const auto share : kShares) {
    auto bound = allocatable(share);
    if (bound == kUnlimited) bound = cluster[share];
    const auto amount = allocated_now[share];
    dominant = std::max(dominant, bound == 0 ? amount * kNothingAllowed : amount / bound);
  }
  return dominant;
}

}  // namespace muster::kai
