#include "policy/volcano/actions/shuffle.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

#include "engine/pod_order.h"
#include "policy/volcano/actions/victim_bundles.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kShuffleRule = "shuffle";

// By the age of their jobs, and in a job by their own.
std::vector<PodId> running_pods(const Session& session) {
  std::vector<GroupId> jobs;
  for (const auto id : IdRange<GroupId>(session.cluster().job_count()))
    if (const auto& job = session.cluster().job(id); job.schedulable() && session.counts(job).of(PodState::kRunning) != 0)
      jobs.push_back(id);
  std::sort(jobs.begin(), jobs.end(), [&](GroupId l, GroupId r) { return session.older(l, r); });
  std::vector<PodId> pods;
  for (const auto id : jobs) {
    const auto first = pods.size();
    for (const auto pod : session.books().group(id).pods)
      if (session.books().pod(pod).state == PodState::kRunning) pods.push_back(pod);
    std::sort(pods.begin() + static_cast<std::ptrdiff_t>(first), pods.end(),
              [&](PodId l, PodId r) { return is_older(session.books(), l, r); });
  }
  return pods;
}

// Whom plugins may name. Those that are not let go must not count for what they plan.
std::vector<PodId> may_be_named(const Session& session) {
  auto pods = running_pods(session);
  if (!session.behaviour().keeps(Quirk::kShuffleTakesAll))
    std::erase_if(pods, [&](PodId pod) { return !session.cluster().task(pod).preemptable; });
  return session.behaviour().keeps(Quirk::kShuffleUnasked) ? pods : session.unprotected(pods);
}

// Of those that nobody protects, in the order given: what gangs can do without, and gangs that go as a whole.
std::vector<PodId> without_harm(const Session& session, std::vector<PodId> named) {
  auto bundles = bundle_victims(session, session.unprotected(named));
  leave_half_gangs(session, bundles);
  boost::unordered_flat_set<PodId> leaving;
  for (const auto& bundle : bundles) leaving.insert(bundle.pods.begin(), bundle.pods.end());
  std::erase_if(named, [&](PodId pod) { return !leaving.contains(pod); });
  return named;
}

}  // namespace

void shuffle(Session& session) {
  if (session.chain(Point::kVictimTasks).empty()) return;
  auto victims = session.victim_tasks(may_be_named(session));
  std::erase_if(victims, [&](PodId pod) {
    if (session.books().pod(pod).state != PodState::kRunning) return true;
    return !session.cluster().task(pod).preemptable && !session.behaviour().keeps(Quirk::kShuffleTakesAll);
  });
  if (!session.behaviour().keeps(Quirk::kShuffleUnasked)) victims = without_harm(session, std::move(victims));
  Statement statement(session);
  for (const auto pod : victims) statement.evict(pod, kShuffleRule, {});
  statement.commit(kShuffleRule);
}

}  // namespace muster::volcano
