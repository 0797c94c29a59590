#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster::volcano {

// A dialect has two behaviours. `exact` reproduces the original's decisions and texts with its quirks; `safe`, the default, differs
// in the rows of one table, each a named switch.
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
  kLocksStay,
  kUnansweredIsIdle,
  kRefusedAllTheSame,
  kOneResourceIsEnough,
  kGivenAwayRoom,
  kMovesNowhere,
  kCount,  // not a quirk
};

struct Difference {
  Quirk quirk;
  std::string_view name;      // of the switch
  std::string_view original;  // what the original does
  std::string_view why;       // why that hurts
  std::string_view instead;   // what muster does
};

// All differences, in the order of the documentation, which is tested against it.
std::span<const Difference> differences();

// Which quirks are reproduced: a switch for each row. Users choose between all and none of them.
class Behaviour {
 public:
  static Behaviour exact() { return Behaviour(~std::uint64_t{0}); }
  static Behaviour safe() { return Behaviour(0); }
  Behaviour() = default;  // safe

  // Whether the original's quirk is reproduced.
  bool keeps(Quirk quirk) const { return (kept_ & bit(quirk)) != 0; }
  // The same with one switch turned, the others as they are.
  Behaviour with(Quirk quirk) const { return Behaviour(kept_ | bit(quirk)); }
  Behaviour without(Quirk quirk) const { return Behaviour(kept_ & ~bit(quirk)); }

 private:
  static_assert(static_cast<unsigned>(Quirk::kCount) <= 64);
  explicit Behaviour(std::uint64_t kept) : kept_(kept) {}
  static constexpr std::uint64_t bit(Quirk quirk) { return std::uint64_t{1} << static_cast<unsigned>(quirk); }

  std::uint64_t kept_ = 0;
};

}  // namespace muster::volcano
