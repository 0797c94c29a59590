#pragma once

// Configurations without the actions that evict.

#include <algorithm>
#include <array>
#include <string_view>

#include "policy/kai/config.h"
#include "policy/volcano/config.h"

namespace muster::daemon {

inline volcano::Config placing_alone(volcano::Config config) {
  constexpr std::array<std::string_view, 3> kPlacing = {"enqueue", "allocate", "backfill"};
  std::erase_if(config.actions, [&](const auto& action) { return !std::ranges::count(kPlacing, action); });
  return config;
}

inline kai::Config allocating_alone(kai::Config config) {
  std::erase_if(config.actions, [](const auto& action) { return action != "allocate"; });
  return config;
}

}  // namespace muster::daemon
