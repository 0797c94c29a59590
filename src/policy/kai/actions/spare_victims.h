#pragma once

#include <functional>
#include <vector>

#include "policy/kai/actions/scenario.h"

namespace muster::kai {

// Those of the victims without whom there is not enough; who was collected last, and would have been the last to go, is spared
// first. `suffices` is asked about lists in the order of the batches, also about nobody at all; of a very large plan not about
// every one, unless the answer was obvious.
enum class Answer : std::uint8_t { kNo, kObviouslyNot, kYes };
using Suffices = std::function<Answer(const std::vector<VictimBatch>&)>;
std::vector<VictimBatch> spare_victims(std::vector<VictimBatch> victims, const Suffices& suffices);

}  // namespace muster::kai
