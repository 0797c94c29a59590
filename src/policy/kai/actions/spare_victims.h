#pragma once

#include <functional>
#include <vector>

#include "policy/kai/actions/scenario.h"

namespace muster::kai {

// Those of the victims without whom there is not enough; who was collected last, and would have been the last to go, is spared
// first. `suffices` is asked about lists in the order of the batches; of a very large plan not every one.
std::vector<VictimBatch> spare_victims(std::vector<VictimBatch> victims,
                                       const std::function<bool(const std::vector<VictimBatch>&)>& suffices);

}  // namespace muster::kai
