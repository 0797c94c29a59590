#pragma once

#include <cstdint>

#include "sim/tree.h"

namespace muster::sim {

// How often a Volcano Job, or one of its tasks, is begun again where it does not say.
inline constexpr std::int64_t kVolcanoRetries = 3;

// What Volcano's admission writes into a new Job: queue, scheduler, names of tasks, the least of each and of all.
void default_volcano_job(Tree& job);

}  // namespace muster::sim
