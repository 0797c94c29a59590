#pragma once

#include <span>
#include <string>

#include "model/diagnostic.h"
#include "policy/kai/settings_table.h"

namespace muster::kai {

// Checks the arguments of a plugin against the settings table and reports unknown names and values that the original would pass
// over or correct. `owner` is whose they are, for messages: `plugin "proportion"`.
void check_arguments(const Value::Map& written, std::span<const ArgumentSetting> known, const std::string& owner,
                     Reporter& reporter);

}  // namespace muster::kai
