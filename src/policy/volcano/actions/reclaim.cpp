#include "policy/volcano/actions/reclaim.h"

#include "policy/volcano/actions/eviction_nodes.h"
#include "policy/volcano/actions/hopeless_takers.h"
#include "policy/volcano/actions/needless_victims.h"
#include "policy/volcano/actions/starving_jobs.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kReclaimRule = "reclaim";

class Reclaim {
 public:
  explicit Reclaim(Session& session)
      : session_(session),
        starving_(session, [&session](const Job& job) { return is_served(session, job); }),
        victims_(session, Point::kReclaimable),
        hopeless_(session, Point::kReclaimable),
        remember_errors_(session.config().action_arguments(kReclaimRule).get_bool("predicateErrorCacheEnable", true)) {}

  void run() {
    while (const auto queue = starving_.next_queue()) {
      if (session_.overused(queue)) continue;
      while (const auto job = starving_.next_job(queue)) reclaim_for(session_.cluster().job(job));
    }
  }

 private:
  // Pod by pod nothing sees to it that the pods come close to each other: that is for gangreclaim.
  static bool is_served(const Session& session, const Job& job) {
    return session.behaviour().keeps(Quirk::kUncheckedReclaim) || job.sub_jobs == nullptr || !job.sub_jobs->wants_closeness();
  }

  // All or nothing: room is made only if the job can then run.
  void reclaim_for(const Job& job) {
    std::vector<Statement> parts;
    while (session_.job_starving(job)) {
      const auto pod = starving_.next_task(job.id);
      if (!pod) break;
      if (!session_.cluster().task(pod).may_preempt || !session_.preemptive(job.queue, std::span(&pod, 1))) continue;
      if (session_.pre_predicate(pod)) continue;
      Statement part(session_);
      reclaim_for(job, pod, part);
      if (!part.empty()) parts.push_back(std::move(part));
    }
    const auto could = [&](PodId pod, NodeId node) { return may_run(job, pod, node); };
    bool runs = session_.job_pipelined(job) && leave_needless_nodes(session_, job.queue, parts);
    auto statement = joined(session_, std::move(parts));
    runs = runs && spare_needless_of_plan(session_, statement, could) && !leave_to_allocate(session_, kReclaimRule, statement);
    if (runs) hopeless_.clear();
    runs ? statement.commit(kReclaimRule) : statement.discard();
  }

  // Takes the first node on which making room helps; scores are not asked.
  void reclaim_for(const Job& job, PodId pod, Statement& statement) {
    if (hopeless_.contains(job, pod, statement) || place_without_victims(session_, job.queue, pod, statement)) return;
    for (const auto& nodes : EvictionNodes(session_, remember_errors_).find(pod))
      for (const auto node : nodes)
        if (may_help(job, node) && reclaim_on(job, pod, node, statement)) return;
    hopeless_.add(job, pod, statement);
  }

  bool may_help(const Job& job, NodeId node) { return !session_.looks_ahead() || victims_.any_of_others(job.queue, node); }

  bool reclaim_on(const Job& job, PodId pod, NodeId node, Statement& statement) {
    const auto candidates = candidates_on(session_, job.id, node, [&](PodId other) { return may_go(job, other); });
    if (candidates.empty()) return false;
    const auto victims = session_.reclaimable(pod, candidates);
    const auto& books = session_.books();
    if (!fits_later(books, pod, node, requests_of(books, victims))) return false;
    Statement here(session_);
    VictimLine line(session_, job.id, victims);
    while (!line.empty() && !fits_later(books, pod, node)) here.evict(line.pop(), kReclaimRule, {job.id, pod});
    if (may_run(job, pod, node)) spare_needless(session_, here, [&] { return may_run(job, pod, node); });
    if (may_run(job, pod, node) && here.pipeline(pod, node, here.has_evictions())) {
      statement.merge(std::move(here));
      return true;
    }
    here.discard();
    return false;
  }

  // The original looks at the amounts alone: neither the queue's limit nor predicates are asked again.
  bool may_run(const Job& job, PodId pod, NodeId node) {
    if (!fits_later(session_.books(), pod, node)) return false;
    if (session_.behaviour().keeps(Quirk::kUncheckedReclaim)) return true;
    return session_.allocatable(job.queue, pod) && !session_.pre_predicate(pod) && session_.predicate(pod, node).empty();
  }

  bool may_go(const Job& taker, PodId pod) const {
    const auto& record = session_.books().pod(pod);
    if (record.state != PodState::kRunning || !session_.cluster().task(pod).preemptable) return false;
    const auto& job = session_.cluster().job(record.group);
    return job.schedulable() && job.queue != taker.queue && session_.cluster().queue(job.queue).reclaimable.value_or(true);
  }

  Session& session_;
  StarvingJobs starving_;
  PossibleVictims victims_;
  HopelessTakers hopeless_;
  bool remember_errors_;
};

}  // namespace

void reclaim(Session& session) { Reclaim(session).run(); }

}  // namespace muster::volcano
