#include "policy/kai/actions/preempt.h"

#include "policy/kai/next_tasks.h"

namespace muster::kai {

RoomRules preempt_rules(Session& session) {
  RoomRules rules;
  rules.action = "preempt";
  rules.queues = VictimQueues::kOwn;
  rules.make_victim_filter = [&session](Job& preemptor) {
    return [&session, &preemptor](const Job& job) {
      return job.preemptible && job.priority < preemptor.priority && job.queue == preemptor.queue && job.id != preemptor.id &&
             job.has_places() && session.preempt_victim(preemptor, job);
    };
  };
  rules.is_allowed = [&session](Job& job) {
    return !session.non_preemptible_over_quota(job, next_tasks(session, job, Mode::kSimulation));
  };
  rules.is_valid = [&session](const Scenario& scenario) { return session.preempt_scenario(scenario); };
  return rules;
}

void preempt(Session& session) { make_room(session, preempt_rules(session)); }

}  // namespace muster::kai
