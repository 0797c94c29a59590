#pragma once

#include <string>
#include <vector>

#include "demo/scenario.h"

namespace muster::demo {

struct NodePlan {
  std::string name;
  std::string rack;
  std::string zone;
  const PoolPlan* pool;  // of the scenario
};

// All nodes of a scenario, rack by rack. Each pool gets its share of them, and racks of its own.
std::vector<NodePlan> lay_out(const Scenario& scenario);

}  // namespace muster::demo
