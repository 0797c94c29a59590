#pragma once

#include <memory>

#include "engine/node_search.h"
#include "policy/volcano/cycle_observer.h"

namespace muster::volcano {

// The same rules and the same search, of which an observer is told when scores are computed and when a node is looked for.
std::unique_ptr<PlacementRules> observed(std::unique_ptr<PlacementRules> rules, CycleObserver& observer);
std::unique_ptr<NodeSearch> observed(std::unique_ptr<NodeSearch> search, CycleObserver& observer);

}  // namespace muster::volcano
