#include "policy/kai/actions/reclaim.h"

#include "policy/kai/actions/make_room.h"

namespace muster::kai {

void reclaim(Session& session) {
  RoomRules rules;
  rules.action = "reclaim";
  rules.may_try = [&](Job& job) { return session.can_reclaim(job); };
  rules.queues = VictimQueues::kOthers;
  rules.make_victim_filter = [&](Job& reclaimer) {
    return [&](const Job& job) {
      return job.queue != reclaimer.queue && job.preemptible && job.count(kActiveAllocated) > 0 &&
             session.reclaim_victim(reclaimer, job);
    };
  };
  rules.is_valid = [&](const Scenario& scenario) { return session.reclaim_scenario(scenario); };
  make_room(session, rules);
}

}  // namespace muster::kai
