#pragma once

#include <string>

#include "policy/kai/job.h"

namespace muster::kai {

// The pool of nodes that a job belongs to, as statuses and events name it.
std::string pool_name(const Job& job);

// Why a job found no room in this cycle, for its condition and for events about it and its pods.
std::string unschedulable_text(const Job& job);

// What is missing of a job that waits for pods of its own.
std::string not_ready_text(const Job& job);

}  // namespace muster::kai
