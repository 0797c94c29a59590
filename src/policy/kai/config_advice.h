#pragma once

#include "model/diagnostic.h"
#include "policy/kai/config.h"

namespace muster::kai {

// Warns of what a good configuration says and can hardly mean: actions that can do nothing as it stands. `actions` is where the
// list of actions is.
void advise_on_config(const Config& config, const Value& actions, Reporter& reporter);

}  // namespace muster::kai
