#pragma once

#include "model/diagnostic.h"
#include "policy/volcano/config.h"

namespace muster::volcano {

// Warns of arguments of plugins and actions that are allowed and hardly meant.
void advise_on_arguments(const Config& config, Reporter& reporter);

}  // namespace muster::volcano
