#pragma once

#include <span>

#include "policy/volcano/config.h"
#include "model/diagnostic.h"

namespace muster::volcano {

// Warns of orders of actions that are allowed and hardly meant. Each action is a string with its place in the file.
void advise_on_actions(std::span<const Value> actions, const Config& config, Reporter& reporter);

}  // namespace muster::volcano
