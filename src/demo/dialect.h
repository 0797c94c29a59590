#pragma once

#include <string_view>

namespace muster::demo {

// Whose objects the cluster is made of.
enum class Dialect { kVolcano, kKai };

// The configuration of the scheduler that a demo is made for; empty: the built-in default of the dialect.
std::string_view scheduler_config(Dialect dialect);

}  // namespace muster::demo
