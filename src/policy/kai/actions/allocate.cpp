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

// Places what comes next of the job; false: it found no room.
bool place_next(Session& session, Job& job, const NodeSet& nodes) {
  Statement statement(session);
  const bool had_started = job.count(kQuotaAllocated) > 0;
  if (!JobPlacer(session, statement, Mode::kReal).place(job, nodes)) {
    statement.discard();
    return false;
  }
  const bool waits = must_wait(job);
  if (waits) statement.convert_to_pipelined(job.id);
  statement.commit(kName);
  if (!waits && !had_started) job.stamps.last_start = session.now();
  return true;
}

// Gives those their room for whom others had to leave, whatever their queues hold: first where it was promised, then anywhere. A
// promise ends when it is kept, when there is no room for it any more, and when nobody has come for it for a while.
class PromiseKeeper {
 public:
  PromiseKeeper(Session& session, const NodeSet& nodes) : session_(session), nodes_(nodes) {}

  void keep() {
    auto& promises = session_.memory().promised.promises();
    if (promises.empty()) return;
    std::erase_if(promises, [&](const Promise& promise) { return !job_of(promise).listed || !job_of(promise).queue; });
    std::vector<Outcome> outcomes;
    for (auto& promise : promises) outcomes.push_back(visit(promise, where_promised(promise)));
    for (std::size_t i = 0; i < promises.size(); ++i)
      if (outcomes[i] == Outcome::kNoRoom) outcomes[i] = visit(promises[i], nodes_);
    std::size_t at = 0;
    std::erase_if(promises, [&](const Promise&) { return outcomes[at++] != Outcome::kOpen; });
  }

 private:
  using Promise = PromisedRoom::Promise;
  enum class Outcome : std::uint8_t { kOpen, kKept, kNoRoom };
  static constexpr int kPatience = 10;  // cycles

  Job& job_of(const Promise& promise) { return session_.cluster().job(promise.group); }

  NodeSet where_promised(const Promise& promise) const {
    const auto& cluster = session_.cluster();
    NodeSet nodes;
    std::copy_if(promise.nodes.begin(), promise.nodes.end(), std::back_inserter(nodes),
                 [&](NodeId node) { return cluster.known(node); });
    std::sort(nodes.begin(), nodes.end(), [&](NodeId l, NodeId r) { return cluster.name_rank(l) < cluster.name_rank(r); });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  Outcome visit(Promise& promise, const NodeSet& nodes) {
    auto& job = job_of(promise);
    if (job.count(Status::kPending) == 0 || !job.ready()) {
      if (job.count(Status::kPipelined) > 0) return Outcome::kOpen;
      return ++promise.waited > kPatience ? Outcome::kKept : Outcome::kOpen;
    }
    promise.waited = 0;
    while (!promise.nodes.empty() && job.count(Status::kPending) > 0) {
      const auto before = job.count(Status::kPending);
      if (!place_next(session_, job, nodes)) return Outcome::kNoRoom;
      if (job.count(Status::kPipelined) > 0) return Outcome::kOpen;  // those who are to leave have not left yet
      const auto placed = before - job.count(Status::kPending);
      promise.nodes.resize(promise.nodes.size() - std::min<std::size_t>(promise.nodes.size(), placed));
    }
    return Outcome::kKept;
  }

  Session& session_;
  const NodeSet& nodes_;
};

}  // namespace

void allocate(Session& session) {
  const auto& depths = session.config().queue_depth;
  const auto depth = depths.find(kName);
  const NodeSet nodes = session.cluster().nodes_by_name();
  PromiseKeeper(session, nodes).keep();
  JobLine line(session, {JobLine::Kind::kPending, depth == depths.end() ? std::nullopt : std::optional(depth->second)});
  push_jobs(session, line, {});
  while (!line.empty()) {
    auto& job = line.pop();
    if (place_next(session, job, nodes) && has_eligible_tasks(session, job, Mode::kReal)) line.push(job);
  }
}

}  // namespace muster::kai
