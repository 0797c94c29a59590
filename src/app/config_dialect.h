#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/value.h"

namespace muster {

// Whose scheduler something is written for.
enum class Dialect { kVolcano, kKai };
std::string_view name_of(Dialect dialect);

// Whose configuration a document is, when it names something that only one of them knows and nothing that only the other does.
std::optional<Dialect> dialect_of_config(const Value& root);

// What to say when a document of one dialect is read as the other's; empty when it does not seem to be.
std::string misread_as(Dialect dialect, const Value& root);

}  // namespace muster
