#pragma once

#include "sim/api_error.h"
#include "sim/outside.h"
#include "sim/store.h"

namespace muster::sim {

// What a real API server writes into a new object and what it refuses, as far as schedulers, kubectl and the simulated kubelets see
// it: phases, priorities from PriorityClasses, requests from limits, counts that are left out. docs/embedded-cluster.md lists it.
Answered<void> admit_new(const Kind& kind, Tree& object, const Store& store);

// The same for a change of everything but the status: what must not change any more, and defaults of what was left out.
Answered<void> admit_change(const Kind& kind, const Tree& before, Tree& after);

// What a change is worth a new generation for: everything but metadata and status. Kinds without generations have none.
bool has_generations(const Kind& kind);

// "a-z0-9.-" and not longer than 253.
bool is_object_name(std::string_view name);
// The same without dots and not longer than 63.
bool is_label_name(std::string_view name);

}  // namespace muster::sim
