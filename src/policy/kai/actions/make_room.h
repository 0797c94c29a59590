#pragma once

#include <functional>
#include <string_view>

#include "policy/kai/actions/job_solver.h"

namespace muster::kai {

// What tells the actions that make room apart.
struct RoomRules {
  std::string_view action;               // a literal
  bool preemptible_only = false;         // who may ask
  bool remembers_by_queue = true;        // for whom it was in vain; else for all queues together
  std::function<bool(Job&)> may_try;     // who is passed over without a trace
  std::function<bool(Job&)> is_allowed;  // who else counts as having failed
  std::function<std::function<bool(const Job&)>(Job&)> make_victim_filter;
  VictimQueues queues = VictimQueues::kAll;  // outside of them it lets nobody through
  bool counts_victims = false;               // what make_victim_filter makes counts
  std::function<bool(const Scenario&)> is_valid;
  std::function<bool(const Scenario&)> lasts;  // whether a plan that is valid is worth it
  bool yields = false;                         // to more urgent jobs of the same queue
};

// Goes through the jobs that wait, best first, and makes room for each that others may leave for.
void make_room(Session& session, const RoomRules& rules);

}  // namespace muster::kai
