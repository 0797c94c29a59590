#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/config_dialect.h"
#include "app/configuration_json.h"

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

// Every flag of `muster scheduler`: those of Volcano's scheduler and of KAI's by their names, and its own. docs/flags.md is these
// tables one after the other, and the command has these options. A flag of the one is refused with the dialect of the other, unless
// both have it, or it is about what the other has no flag for.
std::span<const SchedulerFlag> volcano_flags();
std::span<const SchedulerFlag> kai_flags();
std::span<const SchedulerFlag> own_flags();
bool is_common(std::string_view volcano_flag);

// The flags that have a meaning in a dialect, by name, with what was given on the command line or else their defaults.
std::vector<ConfigurationKey> flags_in_force(Dialect dialect, const std::map<std::string, std::string>& given);

// What a flag says that may be given several times: all of it, between commas.
std::string flag_value(const std::vector<std::string>& items);

}  // namespace muster::cli
