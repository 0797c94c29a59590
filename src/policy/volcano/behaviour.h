#pragma once

#include <span>

#include "engine/switches.h"

namespace muster::volcano {

// What `exact` keeps of the original and `safe` does not.
enum class Quirk {
  kEventEveryCycle,
  kGoStructInEvent,
  kUncheckedBestEffort,
  kForgottenVictim,
  kBareEvictEvent,
  kTwins,
  kShuffleTakesAll,
  kVictimByName,
  kBypassedProtection,
  kNeedlessVictims,
  kOverlookedRoom,
  kUncheckedReclaim,
  kHalfGangs,
  kLostDevicePromises,
  kVgpuKeepsDiscarded,
  kMigSlotTwice,
  kSpreadScoresNothing,
  kForgetsAssumedDevices,
  kRegainsDevicesTwice,
  kNpuCountsOneContainer,
  kNpuPolicyUnscored,
  kNpuAnywhere,
  kNumaHoldsPlanned,
  kBrokenPromises,
  kShuffleUnasked,
  kPdbNamesAll,
  kUncountedRoles,
  kBudgetPerQuestion,
  kUnlabelledStay,
  kUncheckedDryRun,
  kHalfPromises,
  kFailedPlansEvict,
  kUnclaimedWait,
  kLocksStay,
  kUnansweredIsIdle,
  kRefusedAllTheSame,
  kOneResourceIsEnough,
  kGivenAwayRoom,
  kMovesNowhere,
  kAllOrNoneTopology,
  kLentBeforeOwed,
  kOneFaultStopsAll,
  kCount,  // not a quirk
};

using Difference = DifferenceOf<Quirk>;
using Behaviour = Switches<Quirk>;

// All differences, in the order of the documentation, which is tested against it.
std::span<const Difference> differences();

}  // namespace muster::volcano
