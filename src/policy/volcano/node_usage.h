#pragma once

#include "model/time.h"

namespace muster::volcano {

// How busy a node really was, as a metrics source measured it.
struct NodeUsage {
  double cpu_percent = 0;  // 0 to 100, of the node's capacity
  double memory_percent = 0;
  Timestamp at;  // when it was measured
};

}  // namespace muster::volcano
