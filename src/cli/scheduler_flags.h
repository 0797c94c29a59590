#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster::cli {

// How `muster scheduler` takes a flag of the scheduler that it replaces.
enum class FlagUse : std::uint8_t {
  kSame,      // means what it means there
  kDiffers,   // means something else, or has another default
  kNoEffect,  // is accepted; there is nothing here that it could change
  kRefused,   // would change something that this version cannot do
  kOwn,       // is muster's own
};
std::string_view name_of(FlagUse use);

struct SchedulerFlag {
  std::string_view name;  // without the dashes in front
  std::string_view default_text;
  FlagUse use;
  std::string_view meaning;
};

// Every flag of `muster scheduler`: those of Volcano's scheduler by their names, then its own. docs/flags.md is this table, and the
// command has these options.
std::span<const SchedulerFlag> scheduler_flags();

}  // namespace muster::cli
