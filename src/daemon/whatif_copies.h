#pragma once

#include <memory>

#include "app/whatif.h"
#include "daemon/state_keeper.h"

namespace muster::daemon {

// Copies of what a scheduler knows, for questions, at this time. An error: such a scheduler cannot be asked.
Result<std::unique_ptr<WhatIfCluster>> copies_of(const SharedState& state, const Timestamp& now);

}  // namespace muster::daemon
