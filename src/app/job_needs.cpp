#include "app/job_needs.h"

#include <algorithm>
#include <limits>

namespace muster {
namespace {

using volcano::Job;
using volcano::Session;

// The first `count` of the job's pending pods.
JobNeeds pending_pods(const Session& session, const Job& job, std::int64_t count) {
  JobNeeds needs;
  for (const auto pod : session.books().group(job.id).pods) {
    if (needs.pods == count) break;
    if (session.books().pod(pod).state != PodState::kPending) continue;
    needs.amounts += session.books().shape_of(pod).request;
    ++needs.pods;
  }
  return needs;
}

std::int64_t missing_pods(const Session& session, const Job& job) { return job.min_available - session.counts(job).ready(); }

}  // namespace

JobNeeds needs_of(const Session& session, const Job& job, JobState state) {
  JobNeeds needs;
  if (state == JobState::kPartial) {
    needs = pending_pods(session, job, std::numeric_limits<std::int64_t>::max());
    needs.of = JobNeeds::Of::kRest;
  } else if (job.status.phase == volcano::Phase::kPending && job.min_resources) {
    needs.of = JobNeeds::Of::kMinResources;
    needs.amounts = job.min_amounts;
  } else {
    needs = pending_pods(session, job, std::max<std::int64_t>(missing_pods(session, job), 1));
  }
  return needs;
}

std::optional<MissedRole> missed_role(const Session& session, const Job& job) {
  const auto& books = session.books();
  if (!session.counts(job).roles_matter()) return std::nullopt;
  for (const auto& role : job.roles) {
    auto fit = volcano::role_ready(role) + role.count[static_cast<std::size_t>(PodState::kPipelined)];
    for (const auto pod : books.group(job.id).pods) {
      if (books.pod(pod).role != role.name || books.pod(pod).state != PodState::kPending) continue;
      const auto* note = job.notes ? job.notes->find(pod) : nullptr;
      fit += note != nullptr && note->last && note->last->had_room;
    }
    if (fit < role.minimum)
      return MissedRole{role.name ? books.symbols().text(role.name) : std::string("without a name"), role.minimum, fit};
  }
  return std::nullopt;
}

Amounts whole_minimum(const Session& session, const Job& job) {
  const auto missing = missing_pods(session, job);
  if (missing <= 0) return {};
  auto amounts = pending_pods(session, job, missing).amounts;
  amounts += session.books().group(job.id).held;
  return amounts;
}

bool has_placing_action(const Session& session, const Job& job) {
  const auto& actions = session.config().actions;
  const bool asks_for_nothing =
      job.waiting_best_effort != 0 && session.counts(job).of(PodState::kPending) == job.waiting_best_effort;
  return std::ranges::find(actions, asks_for_nothing ? "backfill" : "allocate") != actions.end();
}

}  // namespace muster
