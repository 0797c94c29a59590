#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/volcano/session.h"

namespace muster {

// What one action that evicts can do for a waiting job, and what it cannot.
struct EvictionChance {
  std::string action;
  std::string obstacle;           // why the action does not serve the job at all; empty when it does
  std::string looked_at;          // whose running pods it looks at: "other jobs of queue research"
  std::string_view asked = "go";  // what they may do or not
  std::size_t running = 0;
  std::size_t may_go = 0;                                 // of them
  std::vector<std::pair<std::string, std::size_t>> kept;  // why the others may not, and how many, most first
};

// One for each action of the configuration that evicts for waiting jobs, in the order of the actions, and for preempt where that is
// missing and there are pods that are less urgent. Empty when the job was not
// let in, because then none of them looks at it. The session is open, and its actions are done.
std::vector<EvictionChance> eviction_chances(volcano::Session& session, const volcano::Job& job);

// "none of the 12 running pods of other jobs of queue research may go: 8 are not less urgent, 4 …"
std::string chance_text(const EvictionChance& chance);

}  // namespace muster
