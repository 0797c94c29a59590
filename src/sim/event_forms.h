#pragma once

#include "sim/api_error.h"
#include "sim/tree.h"

namespace muster::sim {

// An event has two forms: that of the core group, in which it is stored and which kubectl shows, and that of events.k8s.io, in
// which schedulers write it. Fields have other names; nothing is lost.
Tree event_to_core(Tree event);
Tree event_from_core(Tree event);

// What events.k8s.io requires of a new event.
Answered<void> check_new_event(const Tree& event);

}  // namespace muster::sim
