#include "policy/kai/actions/reclaim.h"

#include <algorithm>
#include <span>
#include <utility>

#include "policy/kai/actions/eviction_unit.h"
#include "policy/kai/actions/make_room.h"
#include "policy/kai/job_lists.h"
#include "policy/kai/next_tasks.h"

namespace muster::kai {
namespace {

constexpr int kMostAsked = 64;  // jobs of a queue that are asked about: many wait for the same

// Tasks that leave together when somebody more urgent of the same queue needs room.
struct Unit {
  Job* job = nullptr;
  Quantities amount;
};

// Of the jobs that this one may have leave, largest first.
std::vector<Unit> less_urgent_units(Session& session, const Job& job) {
  std::vector<Unit> units;
  auto& cluster = session.cluster();
  auto& lists = session.job_lists();
  lists.refresh();
  for (const auto& item : lists.active(job.queue)) {
    auto& other = *item.job;
    if (!other.preemptible || other.priority >= job.priority) continue;
    const auto together = eviction_unit(session, other);
    if (together.size() > 1) {
      Unit unit{&other, {}};
      for (const auto pod : together) unit.amount += cluster.task(pod).accepted;
      units.push_back(unit);
      continue;
    }
    other.for_each_pod([&](PodId pod) {
      if (kActiveAllocated.contains(cluster.task(pod).status)) units.push_back({&other, cluster.task(pod).accepted});
    });
  }
  std::stable_sort(units.begin(), units.end(),
                   [](const Unit& l, const Unit& r) { return l.amount[Share::kGpu] > r.amount[Share::kGpu]; });
  if (units.size() > kMostAsked) units.resize(kMostAsked);
  return units;
}

// Whether a job that has places now could reclaim so much if it waited for it, and its queue held so much less.
bool could_reclaim_again(Session& session, const Unit& unit, const Job& winner, const Quantities& less) {
  auto& job = *unit.job;
  const auto next_tasks = std::exchange(job.next_tasks, std::vector<PodId>());
  const auto next_request = std::exchange(job.next_request, unit.amount);
  const bool could = session.could_reclaim(job, winner, less);
  job.next_tasks = next_tasks;
  job.next_request = next_request;
  return could;
}

// Whether another job of the queue that waits already could do it.
bool others_could_take_back(Session& session, Job& loser, const Job& winner) {
  if (!could_reclaim_again(session, {&loser, {}}, winner, {})) return false;  // not even nothing
  auto& lists = session.job_lists();
  lists.refresh();
  int asked = 0;
  for (const auto& item : lists.pending(loser.queue)) {
    auto& job = *item.job;
    if (job.id == loser.id || !job.ready()) continue;
    if (asked++ == kMostAsked) break;
    if (session.can_reclaim(job) && session.reclaim_victim(job, winner)) return true;
  }
  return false;
}

// Whether the room of some tasks that a job lost could be taken back from the one that it was for. The job may have less urgent
// ones of its queue leave in their place, and those may be larger than what comes instead, so that the queue then holds less:
// enough less for the rest of the tasks to be reclaimed, or for those who left.
bool could_take_back(Session& session, Job& loser, const Job& winner, std::span<const PodId> lost) {
  if (session.can_reclaim(loser) && session.reclaim_victim(loser, winner)) return true;
  if (others_could_take_back(session, loser, winner)) return true;
  const auto units = less_urgent_units(session, loser);
  if (units.empty()) return false;
  const auto together = next_tasks(session, loser, Mode::kSimulation).size();
  const auto request = next_request(session, loser, Mode::kSimulation);
  auto rounds = together == 0 ? 0 : (lost.size() - 1) / together;
  Quantities first;  // what the queue has less with each of them in the place of some of the tasks
  Quantities all;    // and with all of the tasks there again
  for (const auto pod : lost) all -= session.cluster().task(pod).accepted;
  for (std::size_t i = 0; i < units.size(); ++i) {
    all += units[i].amount;
    for (std::size_t j = 0; j <= i; ++j)
      if (could_reclaim_again(session, units[j], winner, all)) return true;
    if (rounds == 0) continue;
    --rounds;
    first += units[i].amount;
    first -= request;
    if (session.could_reclaim(loser, winner, first)) return true;
  }
  return false;
}

// Whether somebody who would lose its place could ask for it back, as things stand then.
bool would_be_reversed(Session& session, const Scenario& scenario) {
  auto& cluster = session.cluster();
  const auto leaves = [&](PodId pod) { return cluster.task(pod).status == Status::kReleasing; };
  const auto victims = scenario.victims();
  return std::any_of(victims.begin(), victims.end(), [&](const VictimBatch& victim) {
    std::vector<PodId> lost;
    std::copy_if(victim.tasks.begin(), victim.tasks.end(), std::back_inserter(lost), leaves);
    auto& loser = cluster.job(victim.job);
    return !lost.empty() && loser.queue != scenario.preemptor->queue && could_take_back(session, loser, *scenario.preemptor, lost);
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
  rules.yields = true;
  make_room(session, rules);
}

}  // namespace muster::kai
