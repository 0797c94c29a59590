#pragma once

#include "sim/api_error.h"
#include "sim/kinds.h"
#include "sim/tree.h"

namespace muster::sim {

// What a real server does with custom resources, by their definitions: what it drops, writes and refuses (422).

// Fields that the definition does not have go, as do nulls; defaults come.
void shape_custom(const Kind& kind, Tree& object);

// The same, and whether it may be so.
Answered<void> admit_new_custom(const Kind& kind, Tree& object);
Answered<void> admit_custom_change(const Kind& kind, const Tree& before, Tree& after);
// Of a change of the status, nothing else is looked at.
Answered<void> admit_custom_status(const Kind& kind, const Tree& before, Tree& after);

}  // namespace muster::sim
