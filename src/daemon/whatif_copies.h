#pragma once

#include <functional>
#include <memory>

#include "app/whatif.h"
#include "daemon/state_keeper.h"

namespace muster::daemon {

// Copies of what a scheduler knows, for questions, at this time. `stopped` ends their runs before their time. An error: such a
// scheduler cannot be asked.
Result<std::unique_ptr<WhatIfCluster>> copies_of(const SharedState& state, const Timestamp& now, std::function<bool()> stopped);

}  // namespace muster::daemon
