#include "policy/kai/actions/allocate.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

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
bool place_next(Session& session, Job& job, const NodeSet& nodes, const JobPlacer::Places* places = nullptr) {
  Statement statement(session);
  const bool had_started = job.count(kQuotaAllocated) > 0;
  if (!JobPlacer(session, statement, Mode::kReal, places).place(job, nodes)) {
    statement.discard();
    return false;
  }
  const bool waits = must_wait(job);
  if (waits) statement.convert_to_pipelined(job.id);
  statement.commit(kName);
  if (!waits && !had_started) job.stamps.last_start = session.now();
  return true;
}

// Gives those their room for whom others had to leave, whatever their queues hold: first each where it was promised, then where
// nothing is promised to others, then anywhere. A promise ends when it is kept, when there is no room for it any more, and when
// nobody has come for it for a while.
class PromiseKeeper {
 public:
  PromiseKeeper(Session& session, const NodeSet& nodes) : session_(session), nodes_(nodes) {}

  void keep() {
    auto& promises = session_.memory().promised.promises();
    if (promises.empty()) return;
    for (auto& promise : promises)
      std::erase_if(promise.places, [&](const Place& place) { return !session_.cluster().known(place.node); });
    std::erase_if(promises, [&](const Promise& promise) {
      return promise.places.empty() || !job_of(promise).listed || !job_of(promise).queue;
    });
    std::vector<Outcome> outcomes;
    for (auto& promise : promises) outcomes.push_back(visit(promise, Where::kPromised, nodes_));
    for (std::size_t i = 0; i < promises.size(); ++i)
      if (outcomes[i] == Outcome::kNoRoom) outcomes[i] = visit(promises[i], Where::kAny, promised_to_nobody(outcomes));
    for (std::size_t i = 0; i < promises.size(); ++i)
      if (outcomes[i] == Outcome::kNoRoom) outcomes[i] = visit(promises[i], Where::kAny, nodes_);
    std::size_t at = 0;
    std::erase_if(promises, [&](const Promise&) {
      const auto outcome = outcomes[at++];
      return outcome == Outcome::kOver || outcome == Outcome::kNoRoom;
    });
  }

 private:
  using Promise = PromisedRoom::Promise;
  using Place = PromisedRoom::Place;
  enum class Where : std::uint8_t { kPromised, kAny };
  enum class Outcome : std::uint8_t { kOver, kWaits, kAbsent, kNoRoom };  // kWaits: in room that others have not left yet
  static constexpr int kPatience = 10;                                    // cycles

  Job& job_of(const Promise& promise) { return session_.cluster().job(promise.group); }

  // The nodes on which no place is still to be given.
  NodeSet promised_to_nobody(const std::vector<Outcome>& outcomes) {
    const auto& promises = session_.memory().promised.promises();
    boost::unordered_flat_set<NodeId> promised;
    for (std::size_t i = 0; i < promises.size(); ++i)
      if (outcomes[i] == Outcome::kNoRoom || outcomes[i] == Outcome::kAbsent)
        for (const auto& place : promises[i].places) promised.insert(place.node);
    NodeSet nodes;
    std::copy_if(nodes_.begin(), nodes_.end(), std::back_inserter(nodes), [&](NodeId node) { return !promised.contains(node); });
    return nodes;
  }

  Outcome visit(Promise& promise, Where where, const NodeSet& nodes) {
    auto& job = job_of(promise);
    if (job.count(Status::kPending) == 0 || !job.ready()) {
      if (job.count(Status::kPipelined) > 0) return Outcome::kWaits;
      return ++promise.waited > kPatience ? Outcome::kOver : Outcome::kAbsent;
    }
    promise.waited = 0;
    while (!promise.places.empty() && job.count(Status::kPending) > 0) {
      const auto places = share_out(promise, job);
      if (!place(job, nodes, where == Where::kPromised ? &places : nullptr)) return Outcome::kNoRoom;
      std::erase_if(promise.places, [&](const Place& given) {
        return places.contains(given.pod) && session_.cluster().task(given.pod).status != Status::kPipelined;
      });
      if (job.count(Status::kPipelined) > 0) return Outcome::kWaits;
    }
    return Outcome::kOver;
  }

  // Places for the tasks that come next, as far as there are: its own, else that of a pod like it, else any. Who gets one owns it.
  JobPlacer::Places share_out(Promise& promise, Job& job) {
    const auto& tasks = next_tasks(session_, job, Mode::kReal);
    const boost::unordered_flat_set<PodId> next(tasks.begin(), tasks.end());
    JobPlacer::Places places;
    for (const auto& place : promise.places)
      if (next.contains(place.pod)) places.emplace(place.pod, place.node);
    enum class Whose : std::uint8_t { kAlike, kAny };
    const auto give = [&](Whose whose) {
      for (const auto pod : tasks) {
        if (places.contains(pod)) continue;
        const auto shape = whose == Whose::kAlike ? session_.books().shape_of(pod).key() : std::string();
        const auto free = std::find_if(promise.places.begin(), promise.places.end(), [&](const Place& place) {
          return !next.contains(place.pod) && (whose == Whose::kAny || place.shape == shape);
        });
        if (free == promise.places.end()) continue;
        free->pod = pod;
        places.emplace(pod, free->node);
      }
    };
    give(Whose::kAlike);
    give(Whose::kAny);
    return places;
  }

  // What is said when it fails is said again when the job has its turn.
  bool place(Job& job, const NodeSet& nodes, const JobPlacer::Places* places) {
    const auto told = static_cast<std::ptrdiff_t>(job.errors.size());
    if (place_next(session_, job, nodes, places)) return true;
    job.errors.erase(job.errors.begin() + told, job.errors.end());
    job.for_each_pod([&](PodId pod) { session_.fit_errors().forget(pod); });
    return false;
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
    ++session.tally(kName).jobs;
    if (place_next(session, job, nodes) && has_eligible_tasks(session, job, Mode::kReal)) line.push(job);
  }
}

}  // namespace muster::kai
