#include "policy/kai/actions/allocate.h"

#include <algorithm>

#include "policy/kai/actions/job_line.h"
#include "policy/kai/actions/job_placer.h"

namespace muster::kai {
namespace {

constexpr std::string_view kName = "allocate";

// Whether some PodSet has a task that waits while the others do not make up its minimum: then the job waits as a whole.
bool must_wait(const Job& job) {
  const auto& sets = job.groups.pod_sets();
  return std::any_of(sets.begin(), sets.end(), [&](SubGroupId id) {
    const auto& part = job.part(id);
    const auto waiting = part.in(Status::kPipelined);
    return waiting > 0 && static_cast<std::int64_t>(part.active_allocated) - waiting < part.minimum;
  });
}

}  // namespace

void allocate(Session& session) {
  auto& cluster = session.cluster();
  const auto& depths = session.config().queue_depth;
  const auto depth = depths.find(kName);
  JobLine line(session, {JobLine::Kind::kPending, depth == depths.end() ? std::nullopt : std::optional(depth->second)});
  push_jobs(session, line, {});
  const NodeSet nodes = cluster.nodes_by_name();
  while (!line.empty()) {
    auto& job = line.pop();
    Statement statement(session);
    const bool had_started = job.count(kQuotaAllocated) > 0;
    if (!JobPlacer(session, statement, Mode::kReal).place(job, nodes)) {
      statement.discard();
      continue;
    }
    const bool waits = must_wait(job);
    if (waits) statement.convert_to_pipelined(job.id);
    statement.commit(kName);
    if (!waits && !had_started) job.stamps.last_start = session.now();
    if (has_eligible_tasks(session, job, Mode::kReal)) line.push(job);
  }
}

}  // namespace muster::kai
