#include "policy/kai/actions/reclaim.h"

#include <algorithm>

#include "policy/kai/actions/make_room.h"

namespace muster::kai {
namespace {

// Whether somebody who would lose its place could ask for it back, as things stand then.
bool would_be_reversed(Session& session, const Scenario& scenario) {
  auto& cluster = session.cluster();
  const auto leaves = [&](PodId pod) { return cluster.task(pod).status == Status::kReleasing; };
  const auto victims = scenario.victims();
  return std::any_of(victims.begin(), victims.end(), [&](const VictimBatch& victim) {
    auto& job = cluster.job(victim.job);
    return std::any_of(victim.tasks.begin(), victim.tasks.end(), leaves) && session.can_reclaim(job) &&
           session.reclaim_victim(job, *scenario.preemptor);
  });
}

}  // namespace

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
  rules.is_valid = [&](const Scenario& scenario) {
    if (!session.reclaim_scenario(scenario)) return false;
    return session.keeps(Quirk::kMutualReclaim) || !scenario.preemptor->preemptible || !would_be_reversed(session, scenario);
  };
  make_room(session, rules);
}

}  // namespace muster::kai
