#include "policy/volcano/actions/backfill.h"

#include "policy/volcano/actions/node_attempt.h"
#include "policy/volcano/actions/turns.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kBackfillRule = "backfill";

using BestEffortHeap = Heap<PodId, std::function<bool(PodId, PodId)>>;

// Pods that ask for nothing and wait for others to leave need not: there is nothing that could be freed for them.
void take_back_pipelined(Session& session, const Job& job) {
  if (session.counts(job).waiting() == 0) return;
  for (const auto pod : session.books().group(job.id).pods)
    if (session.books().pod(pod).state == PodState::kPipelined && session.books().shape_of(pod).best_effort) session.take_back(pod);
}

// Pods that ask for nothing: queue after queue, job after job.
std::vector<PodId> candidates(Session& session) {
  const auto& books = session.books();
  Turns turns(session);
  session.cluster().open_jobs().for_each([&](std::size_t id) {
    const auto& job = session.cluster().job(GroupId(id));
    if (job.status.phase == Phase::kPending || !session.job_valid(job)) return;
    take_back_pipelined(session, job);
    if (job.waiting_best_effort != 0) turns.add(job.id);
  });
  std::vector<PodId> pods;
  while (const auto queue = turns.next_queue())
    while (turns.has_jobs(queue)) {
      BestEffortHeap tasks([&](PodId l, PodId r) { return session.task_before(l, r); });
      for (const auto pod : books.group(turns.next_job(queue)).pods)
        if (const auto& record = books.pod(pod);
            record.state == PodState::kPending && books.shape(record.shape).best_effort && !record.gated)
          tasks.push(pod);
      while (!tasks.empty()) pods.push_back(tasks.pop());
    }
  return pods;
}

}  // namespace

void backfill(Session& session) {
  for (const auto pod : candidates(session)) {
    auto& job = session.cluster().job_of(pod);
    if (const auto refusal = session.pre_predicate(pod)) {
      job.take_notes().task(pod).errors = error_on_all_nodes(session, *refusal);
      continue;
    }
    NodeAttempt attempt(session, NodeAttempt::Resources::kIgnored, NodeAttempt::Errors::kForgotten);
    const auto outcome = attempt.find(pod);
    if (outcome.choice)
      session.allocate_and_dispatch(pod, outcome.choice->node, kBackfillRule);
    else if (!outcome.feasible)
      job.take_notes().task(pod).errors = outcome.errors;
  }
}

}  // namespace muster::volcano
