#include "policy/volcano/actions/shuffle.h"

#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kRule = "shuffle";

std::vector<PodId> running_pods(const Session& session) {
  std::vector<PodId> pods;
  for (const auto id : IdRange<GroupId>(session.cluster().job_count())) {
    const auto& job = session.cluster().job(id);
    if (!job.schedulable() || session.counts(job).of(PodState::kRunning) == 0) continue;
    for (const auto pod : session.books().group(id).pods)
      if (session.books().pod(pod).state == PodState::kRunning) pods.push_back(pod);
  }
  return pods;
}

}  // namespace

void shuffle(Session& session) {
  if (session.chain(Point::kVictimTasks).empty()) return;
  Statement statement(session);
  for (const auto pod : session.victim_tasks(running_pods(session))) {
    if (!session.cluster().task(pod).preemptable && !session.behaviour().keeps(Quirk::kShuffleTakesAll)) continue;
    if (session.books().pod(pod).state == PodState::kRunning) statement.evict(pod, kRule, {});
  }
  statement.commit(kRule);
}

}  // namespace muster::volcano
