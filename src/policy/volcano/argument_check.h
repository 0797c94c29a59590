#pragma once

#include <span>
#include <string>

#include "model/diagnostic.h"
#include "model/value.h"
#include "policy/volcano/settings_table.h"

namespace muster::volcano {

// Checks what the user wrote against the settings table and reports unknown names, wrong types and values out of range. What the
// original would die of is an error under every strictness.

// A map of arguments. `owner` is whose they are, for messages: `plugin "binpack"`.
void check_arguments(const Value::Map& written, std::span<const ArgumentSetting> known, const std::string& owner,
                     Reporter& reporter);

// A single value. `name` is what the user calls it.
void check_argument(const Value& value, const ArgumentSetting& setting, const std::string& name, const std::string& owner,
                    Reporter& reporter);

}  // namespace muster::volcano
