#pragma once

#include <span>

#include "engine/switches.h"

namespace muster::kai {

// What `exact` keeps of the original and `safe` does not.
enum class Quirk {
  kNeedlessVictims,
  kBrokenPromises,
  kGivenAwayRoom,
  kForgottenPlans,
  kHalfGangs,
  kCountedTwice,
  kIgnoredMinSubGroup,
  kLostStaleStamps,
  kMixedNamespaces,
  kUnknownHoldsNothing,
  kTwoGpusInOne,
  kSurplusByAge,
  kUnansweredWindows,
  kMutualReclaim,
  kSplitTopologies,
  kOvertakenPlans,
  kLoneNodes,
  kLostShares,
  kGuessedGpus,
  kCount,  // not a quirk
};

using Difference = DifferenceOf<Quirk>;
using Behaviour = Switches<Quirk>;

// All differences, in the order of the documentation, which is tested against it.
std::span<const Difference> differences();

}  // namespace muster::kai
