#include "policy/kai/plugins/minruntime.h"

#include <algorithm>
#include <map>

#include "policy/kai/actions/scenario.h"
#include "policy/kai/session.h"

namespace muster::kai {
MinRuntime::MinRuntime(Session& session, const PluginOption& option)
    : Plugin(session),
      default_reclaim_(option.arguments.get_duration("defaultReclaimMinRuntime", 0)),
      default_preempt_(option.arguments.get_duration("defaultPreemptMinRuntime", 0)),
      by_queue_(option.arguments.get("reclaimResolveMethod", "lca") == "queue") {}

bool MinRuntime::started_within(const Job& job, std::int64_t time) const {
  return job.stamps.last_start && nanos_between(*job.stamps.last_start, session().now()) < time;
}

std::int64_t MinRuntime::preempt_time(QueueId victim) const {
  const auto& queues = session().cluster().queues();
  for (auto queue = victim; queue; queue = queues[queue].parent)
    if (queues[queue].preempt_min_runtime) return *queues[queue].preempt_min_runtime;
  return default_preempt_;
}

// By default what counts is said one step below where the two queues part, or above.
std::int64_t MinRuntime::reclaim_time(QueueId reclaimer, QueueId victim) const {
  const auto& queues = session().cluster().queues();
  const auto theirs = queues.path_to(victim);
  if (theirs.empty()) return default_reclaim_;  // an explanation may ask about jobs whose queue is not there
  std::size_t from = theirs.size() - 1;
  if (!by_queue_) {
    const auto mine = queues.path_to(reclaimer);
    if (mine.empty() || mine.front() != theirs.front())
      return queues[theirs.front()].reclaim_min_runtime.value_or(default_reclaim_);
    std::size_t common = 0;
    while (common + 1 < std::min(mine.size(), theirs.size()) && mine[common + 1] == theirs[common + 1]) ++common;
    from = std::min(common + 1, theirs.size() - 1);
  }
  for (auto at = from + 1; at-- > 0;)
    if (queues[theirs[at]].reclaim_min_runtime) return *queues[theirs[at]].reclaim_min_runtime;
  return default_reclaim_;
}

bool MinRuntime::protects_from_reclaim(const Job& reclaimer, const Job& victim) const {
  return started_within(victim, reclaim_time(reclaimer.queue, victim.queue));
}

bool MinRuntime::protects_from_preempt(const Job& victim) const { return started_within(victim, preempt_time(victim.queue)); }

// Without a reclaimer, from jobs of its own queue.
Timestamp MinRuntime::protected_until(const Job* reclaimer, const Job& victim) const {
  auto until = victim.stamps.last_start.value_or(session().now());
  until.seconds += (reclaimer != nullptr ? reclaim_time(reclaimer->queue, victim.queue) : preempt_time(victim.queue)) / kSecond;
  return until;
}

bool MinRuntime::reclaim_victim(Job& reclaimer, const Job& victim) {
  return victim.elastic() || !protects_from_reclaim(reclaimer, victim);
}

bool MinRuntime::preempt_victim(Job&, const Job& victim) { return victim.elastic() || !protects_from_preempt(victim); }

template <class Protected>
bool MinRuntime::keeps_minimums(const Scenario& scenario, Protected is_protected) const {
  const auto& cluster = session().cluster();
  for (const auto& victim : scenario.victims()) {
    const auto& job = cluster.job(victim.job);
    if (!job.elastic() || !is_protected(job)) continue;
    std::map<SubGroupId, std::int64_t> leaving;
    for (const auto pod : victim.tasks) ++leaving[cluster.task(pod).pod_set];
    for (const auto& [part, count] : leaving)
      if (job.part(part).minimum > static_cast<std::int64_t>(job.part(part).active_used) - count) return false;
  }
  return true;
}

bool MinRuntime::reclaim_scenario(const Scenario& scenario) {
  return keeps_minimums(scenario, [&](const Job& job) { return protects_from_reclaim(*scenario.preemptor, job); });
}

bool MinRuntime::preempt_scenario(const Scenario& scenario) {
  return keeps_minimums(scenario, [&](const Job& job) { return protects_from_preempt(job); });
}

}  // namespace muster::kai
