#pragma once

#include "model/diagnostic.h"

namespace muster::kai {

// Checks what stands under `scenarioSearchBudgets`. The budgets bound the time for which the original looks for victims; muster
// looks to the end, so that its decisions do not depend on the clock.
void check_search_budgets(const Value& budgets, Reporter& reporter);

}  // namespace muster::kai
