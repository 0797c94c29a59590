#pragma once

#include "model/objects.h"

namespace muster::daemon {

// A cluster's admission gives a queue its weight, and the queue controller its state; where they do not run, nobody does.
inline void complete(Queue& queue) {
  if (queue.state.empty()) queue.state = "Open";
  if (queue.weight == 0) queue.weight = 1;
}

}  // namespace muster::daemon
