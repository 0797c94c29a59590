#pragma once

#include "cli/command.h"

namespace muster::cli {

// Queues, jobs, nodes and decisions as lists.
void add_views(CLI::App& program, Action& chosen);

}  // namespace muster::cli
