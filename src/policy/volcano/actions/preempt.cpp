#include "policy/volcano/actions/preempt.h"

#include <algorithm>

#include "policy/volcano/actions/eviction_nodes.h"
#include "policy/volcano/actions/hopeless_takers.h"
#include "policy/volcano/actions/needless_victims.h"
#include "policy/volcano/actions/preempt_dry_run.h"
#include "policy/volcano/actions/starving_jobs.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kPreemptRule = "preempt";

class Preempt {
 public:
  explicit Preempt(Session& session)
      : session_(session),
        arguments_(session.config().action_arguments(kPreemptRule)),
        starving_(session, [](const Job& job) { return !has_topology(job); }),
        nodes_(session, arguments_.get_bool("predicateErrorCacheEnable", true)),
        victims_(session, Point::kPreemptable),
        hopeless_(session, Point::kPreemptable) {}

  void run() {
    while (const auto queue = starving_.next_queue()) {
      std::vector<GroupId> jobs;
      while (const auto job = starving_.next_job(queue)) {
        jobs.push_back(job);
        between_jobs(session_.cluster().job(job));
      }
      for (const auto job : jobs) within_job(session_.cluster().job(job));
    }
  }

 private:
  static bool has_topology(const Job& job) { return job.sub_jobs != nullptr && job.sub_jobs->wants_closeness(); }

  // All or nothing: room is made only if the job can then run.
  void between_jobs(const Job& job) {
    std::vector<Statement> parts;
    while (session_.job_starving(job)) {
      const auto pod = starving_.next_task(job.id);
      if (!pod) break;
      Statement part(session_);
      preempt_for(job, pod, Scope::kOtherJobs, part, [&](PodId other) {
        const auto& owner = session_.cluster().job_of(other);
        return may_go(pod, other) && owner.schedulable() && owner.queue == job.queue && owner.id != job.id;
      });
      if (!part.empty()) parts.push_back(std::move(part));
    }
    const auto could = [&](PodId pod, NodeId node) { return fits(job, pod, node); };
    bool runs = session_.job_pipelined(job) && leave_needless_nodes(session_, job.queue, parts);
    auto statement = joined(session_, std::move(parts));
    runs = runs && spare_needless_of_plan(session_, statement, could) && !leave_to_allocate(session_, kPreemptRule, statement);
    if (runs) hopeless_.clear();
    runs ? statement.commit(kPreemptRule) : statement.discard();
  }

  // Tasks of a job push out less important ones of the same job, each on its own; the first that fails ends it. A gang that stays
  // incomplete is promised nothing.
  void within_job(const Job& job) {
    TaskLine tasks(session_, job.id);
    while (const auto pod = tasks.next()) {
      Statement statement(session_);
      const bool placed = preempt_for(job, pod, Scope::kOwnJob, statement, [&](PodId other) {
        return may_go(pod, other) && session_.books().pod(other).group == job.id;
      });
      const bool runs = session_.behaviour().keeps(Quirk::kHalfPromises) || session_.job_pipelined(job);
      if (!placed || !runs || leave_to_allocate(session_, kPreemptRule, statement)) {
        statement.discard();
        return;
      }
      hopeless_.clear();
      statement.commit(kPreemptRule);
    }
  }

  bool may_go(PodId preemptor, PodId pod) const {
    const auto& record = session_.books().pod(pod);
    if (record.state != PodState::kRunning && record.state != PodState::kBound) return false;
    if (session_.books().shape_of(preemptor).best_effort && !session_.books().shape(record.shape).best_effort) return false;
    return session_.cluster().task(pod).preemptable;
  }

  using Filter = std::function<bool(PodId)>;

  enum class Scope : std::uint8_t { kOtherJobs, kOwnJob };

  bool preempt_for(const Job& job, PodId pod, Scope scope, Statement& statement, const Filter& filter) {
    if (!may_preempt(pod) || session_.pre_predicate(pod)) return false;
    const bool among_others = scope == Scope::kOtherJobs;
    if (among_others && hopeless_.contains(job, pod, statement)) return false;
    if (place_without_victims(session_, job.queue, pod, statement)) return true;
    if (!among_others && !session_.behaviour().keeps(Quirk::kOverlookedRoom) && session_.counts(job).holding() == 0) return false;
    if (make_room(job, pod, statement, filter)) return true;
    if (among_others) hopeless_.add(job, pod, statement);
    return false;
  }

  bool make_room(const Job& job, PodId pod, Statement& statement, const Filter& filter) {
    const bool dry_run = arguments_.get_bool("enableTopologyAwarePreemption", false);
    for (auto& nodes : nodes_.find(pod)) {
      if (!dry_run) leave_out_hopeless(job, pod, nodes);
      if (dry_run ? preempt_cheapest(job, pod, nodes, statement, filter) : preempt_best(job, pod, nodes, statement, filter))
        return true;
    }
    return false;
  }

  // A pod for which others are already leaving waits for that.
  bool may_preempt(PodId pod) {
    const auto& cluster = session_.cluster();
    if (!cluster.task(pod).may_preempt) return false;
    const auto nominated = cluster.task(pod).nomination();
    if (nominated.empty()) return true;
    const auto node = session_.books().find_node(nominated);
    if (!node || !session_.books().node(node).known) return false;
    // Filters answer for the pod that was prepared last. The original's fail on pods that they never met in this cycle, but for
    // those that need no preparation and are asked before.
    const bool prepares = session_.is_prepared(pod) || !session_.behaviour().keeps(Quirk::kUncheckedReclaim);
    if (prepares && session_.pre_predicate(pod)) return false;
    Verdict verdict;
    session_.rules().judge(pod, node, prepares ? Dependence::kHistory : Dependence::kNode, verdict);
    if (verdict.empty() && prepares) return false;
    if (std::any_of(verdict.begin(), verdict.end(), [](const FitStatus& s) { return s.code == FitCode::kUnresolvable; }))
      return true;
    const auto& pods = session_.books().pods_on(node);
    return std::none_of(pods.begin(), pods.end(), [&](PodId other) {
      return cluster.task(other).pushed_out && cluster.task(other).pod_priority < cluster.task(pod).pod_priority;
    });
  }

  // The node with the best score on which room can be made.
  bool preempt_best(const Job& job, PodId pod, const std::vector<NodeId>& nodes, Statement& statement, const Filter& filter) {
    std::vector<double> scores(nodes.size());
    if (nodes.empty() || !session_.search().scores(pod, nodes, scores)) return false;
    // Usually one of the first few will do, so they are not all put in order.
    std::vector<std::pair<double, NodeId>> line(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) line[i] = {scores[i], nodes[i]};
    const auto after = [](const auto& l, const auto& r) { return l.first != r.first ? l.first < r.first : l.second > r.second; };
    std::make_heap(line.begin(), line.end(), after);
    for (; !line.empty(); line.pop_back()) {
      std::pop_heap(line.begin(), line.end(), after);
      if (preempt_on(job, pod, line.back().second, statement, filter)) return true;
    }
    return false;
  }

  // Leaves out nodes on which nobody could be evicted and which have no room as it is. Scores that compare nodes with each other
  // need them all.
  void leave_out_hopeless(const Job& job, PodId pod, std::vector<NodeId>& nodes) {
    if (!session_.looks_ahead() || session_.rules().score_dependence(pod) > Dependence::kNode) return;
    Bitset possible = victims_.of(job.queue);
    NodeSearch::Query query;
    query.pod = pod;
    possible |= session_.search().feasible(query);
    std::erase_if(nodes, [&](NodeId node) { return !possible.test(node.index()); });
  }

  bool fits(const Job& job, PodId pod, NodeId node) {
    if (!session_.allocatable(job.queue, pod) || !fits_later(session_.books(), pod, node)) return false;
    const bool stale = session_.behaviour().keeps(Quirk::kUncheckedReclaim);  // what is known of the others is from before
    return (stale || !session_.pre_predicate(pod)) && session_.predicate(pod, node).empty();
  }

  bool preempt_on(const Job& job, PodId pod, NodeId node, Statement& statement, const Filter& filter) {
    const auto& books = session_.books();
    const auto victims = session_.preemptable(pod, candidates_on(session_, job.id, node, filter));
    session_.tally().preemption_victims = victims.size();
    if (!fits_later(books, pod, node, requests_of(books, victims))) return false;
    Statement here(session_);
    VictimLine line(session_, job.id, victims);
    bool freed = false;  // pods that ask for nothing free nothing
    bool fit = fits(job, pod, node);
    while (!fit && !line.empty()) {
      const auto victim = line.pop();
      here.evict(victim, kPreemptRule, {job.id, pod});
      freed |= !books.shape_of(victim).best_effort;
      fit = fits(job, pod, node);
    }
    ++session_.tally().preemption_attempts;
    if (fit) spare_needless(session_, here, [&] { return fits(job, pod, node); });
    if (fit && here.pipeline(pod, node, freed)) {
      statement.merge(std::move(here));
      return true;
    }
    here.discard();
    return false;
  }

  bool preempt_cheapest(const Job& job, PodId pod, const std::vector<NodeId>& nodes, Statement& statement, const Filter& filter) {
    const auto plan = cheapest_preemption(session_, arguments_, job, pod, nodes, filter);
    if (!plan) return false;
    Statement here(session_);
    for (const auto victim : plan->victims) here.evict(victim, kPreemptRule, {job.id, pod});
    ++session_.tally().preemption_attempts;
    constexpr bool kEvictsOthers = true;
    if (here.pipeline(pod, plan->node, kEvictsOthers)) {
      statement.merge(std::move(here));
      return true;
    }
    here.discard();
    return false;
  }

  Session& session_;
  const Arguments& arguments_;
  StarvingJobs starving_;
  EvictionNodes nodes_;
  PossibleVictims victims_;
  HopelessTakers hopeless_;
};

}  // namespace

void preempt(Session& session) { Preempt(session).run(); }

}  // namespace muster::volcano
