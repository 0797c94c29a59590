#pragma once

#include <span>

#include "model/diagnostic.h"
#include "policy/volcano/config.h"

namespace muster::volcano {

// Warns of orders of actions that are allowed and hardly meant. Each action is a string with its place in the file.
void advise_on_actions(std::span<const Value> actions, const Config& config, Reporter& reporter);

}  // namespace muster::volcano
