#pragma once

#include "model/diagnostic.h"
#include "policy/volcano/config.h"

namespace muster::volcano {

// Warns of plugins that are listed where they have no effect.
void advise_on_plugins(const Config& config, Reporter& reporter);
// Warns that a configuration lists none.
void advise_on_no_plugins(const Value& root, Reporter& reporter);

// Warns of arguments of plugins and actions that are allowed and hardly meant.
void advise_on_arguments(const Config& config, Reporter& reporter);

}  // namespace muster::volcano
