#include "policy/kai/actions/preempt.h"

#include "policy/kai/actions/make_room.h"
#include "policy/kai/next_tasks.h"

namespace muster::kai {

void preempt(Session& session) {
  RoomRules rules;
  rules.action = "preempt";
  rules.queues = VictimQueues::kOwn;
  rules.make_victim_filter = [&](Job& preemptor) {
    return [&](const Job& job) {
      return job.preemptible && job.priority < preemptor.priority && job.queue == preemptor.queue && job.id != preemptor.id &&
             job.has_places() && session.preempt_victim(preemptor, job);
    };
  };
  rules.is_allowed = [&](Job& job) {
    return !session.non_preemptible_over_quota(job, next_tasks(session, job, Mode::kSimulation));
  };
  rules.is_valid = [&](const Scenario& scenario) { return session.preempt_scenario(scenario); };
  make_room(session, rules);
}

}  // namespace muster::kai
