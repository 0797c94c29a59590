#pragma once

#include <vector>

#include "policy/kai/plugins/queue_share.h"

namespace muster::kai {

// Divides a total among sibling queues and adds to their fair shares, each resource on its own: first everybody's quota, as far as
// it is asked for; then what is left by weight, from the highest priority down, in rounds and in whole units; at last the
// remainders, one unit each. `k` says how much past usage lowers a queue's weight.
void divide(const Quantities& total, double k, const std::vector<QueueShare*>& queues);

}  // namespace muster::kai
