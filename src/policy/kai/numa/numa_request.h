#pragma once

#include <vector>

#include "model/objects.h"
#include "policy/kai/numa/numa_amounts.h"

namespace muster::kai {

// What a pod has of one zone of its node, by the zone's place among them.
struct NumaPart {
  std::size_t zone = 0;
  ResourceList amount;

  bool operator==(const NumaPart&) const = default;
};
using NumaPlacement = std::vector<NumaPart>;

// What a topology manager would have to align for a pod. Cores count only for Guaranteed pods, by containers that ask for whole
// ones.
struct NumaRequest {
  bool guaranteed = false;
  NumaAmounts asked;                    // altogether, all cores counted
  NumaAmounts pod;                      // what is to be aligned when the pod is looked at as a whole
  std::vector<NumaAmounts> together;    // containers and sidecars, which run at the same time
  std::vector<NumaAmounts> one_by_one;  // that run before the others start
  // Where it is said to have its parts: by whoever looked, and by the scheduler that placed it.
  std::vector<NumaZoneShare> observed, predicted;
};
NumaRequest numa_request_of(const Pod& pod, Interner<SymbolId>& symbols);

}  // namespace muster::kai
