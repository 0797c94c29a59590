#include "policy/kai/actions/reclaim.h"

#include <algorithm>
#include <functional>

#include "policy/kai/actions/eviction_unit.h"
#include "policy/kai/actions/make_room.h"
#include "policy/kai/job_lists.h"
#include "policy/kai/next_tasks.h"

namespace muster::kai {
namespace {

// GPUs that leave together when somebody more urgent of the same queue needs room, largest first.
std::vector<Quantities> less_urgent_units(Session& session, const Job& job) {
  std::vector<Quantities> units;
  auto& cluster = session.cluster();
  auto& lists = session.job_lists();
  lists.refresh();
  for (const auto& item : lists.active(job.queue)) {
    const auto& other = *item.job;
    if (!other.preemptible || other.priority >= job.priority) continue;
    const auto unit = eviction_unit(session, other);
    if (unit.size() > 1 || unit.empty()) {
      Quantities sum;
      for (const auto pod : unit) sum += cluster.task(pod).accepted;
      units.push_back(sum);
      continue;
    }
    other.for_each_pod([&](PodId pod) {
      if (kActiveAllocated.contains(cluster.task(pod).status)) units.push_back(cluster.task(pod).accepted);
    });
  }
  std::stable_sort(units.begin(), units.end(),
                   [](const Quantities& l, const Quantities& r) { return l[Share::kGpu] > r[Share::kGpu]; });
  return units;
}

// Whether a job that lost some tasks could take the room back from the one that it was for. Until the last of them it may have less
// urgent jobs of its queue leave, and those may be larger than what comes in their place, so that the queue then holds less.
bool could_take_back(Session& session, Job& loser, const Job& winner, std::size_t lost) {
  if (session.can_reclaim(loser) && session.reclaim_victim(loser, winner)) return true;
  const auto request = next_request(session, loser, Mode::kSimulation);
  const auto& tasks = next_tasks(session, loser, Mode::kSimulation);
  if (tasks.empty() || lost <= tasks.size()) return false;
  auto rounds = (lost - 1) / tasks.size();
  Quantities less;
  for (const auto& unit : less_urgent_units(session, loser)) {
    if (rounds-- == 0) break;
    less += unit;
    less -= request;
    if (session.could_reclaim(loser, winner, less)) return true;
  }
  return false;
}

// Whether somebody who would lose its place could ask for it back, as things stand then.
bool would_be_reversed(Session& session, const Scenario& scenario) {
  auto& cluster = session.cluster();
  const auto leaves = [&](PodId pod) { return cluster.task(pod).status == Status::kReleasing; };
  const auto victims = scenario.victims();
  return std::any_of(victims.begin(), victims.end(), [&](const VictimBatch& victim) {
    const auto lost = std::count_if(victim.tasks.begin(), victim.tasks.end(), leaves);
    auto& loser = cluster.job(victim.job);
    return lost > 0 && loser.queue != scenario.preemptor->queue &&
           could_take_back(session, loser, *scenario.preemptor, static_cast<std::size_t>(lost));
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
  rules.is_valid = [&](const Scenario& scenario) { return session.reclaim_scenario(scenario); };
  if (!session.keeps(Quirk::kMutualReclaim))
    rules.lasts = [&](const Scenario& scenario) {
      return !scenario.preemptor->preemptible || !would_be_reversed(session, scenario);
    };
  make_room(session, rules);
}

}  // namespace muster::kai
