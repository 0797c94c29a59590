#pragma once

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
  kUnansweredIsIdle,
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

class Behaviour {
 public:
  static Behaviour exact() { return Behaviour(true); }
  static Behaviour safe() { return Behaviour(false); }
  Behaviour() = default;

  bool is_exact() const { return exact_; }
  // Whether the original's quirk is reproduced.
  bool keeps(Quirk) const { return exact_; }

 private:
  explicit Behaviour(bool exact) : exact_(exact) {}
  bool exact_ = false;
};

}  // namespace muster::volcano
