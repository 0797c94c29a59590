#pragma once

#include <string>
#include <vector>

#include "sim/kinds.h"
#include "sim/tree.h"

namespace muster::sim {

// Whether there is anything of that kind of which unheeded() may tell.
bool has_unheeded(const Kind& kind);

// What objects ask for and no controller here does, so that nobody waits for it: "spec.podFailurePolicy has no effect in the
// embedded cluster". Empty for what is heeded.
std::vector<std::string> unheeded(const Kind& kind, const Tree& object);

}  // namespace muster::sim
