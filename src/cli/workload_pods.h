#pragma once

#include "app/whatif_workloads.h"

namespace muster::cli {

// What the controllers of the embedded cluster make of workloads.
MakeOfWorkloads make_of_workloads();

}  // namespace muster::cli
