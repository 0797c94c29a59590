#include "policy/volcano/actions/allocate.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <optional>
#include <span>

#include "base/fetch_ahead.h"
#include "policy/volcano/actions/task_placer.h"
#include "policy/volcano/actions/topology_allocate.h"
#include "policy/volcano/actions/turns.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kRule = "allocate";

// The tasks that each job still has to place, best first. Only jobs that have any.
class Worksheets {
 public:
  explicit Worksheets(std::size_t jobs) : at_(jobs) {}
  bool has(GroupId job) const { return at_[job] != 0; }
  TaskHeap& of(GroupId job) { return sheets_[at_[job] - 1]; }
  TaskHeap& make(GroupId job, Session& session) {
    if (at_[job] == 0) {
      sheets_.emplace_back(TaskBefore{&session});
      at_[job] = static_cast<std::uint32_t>(sheets_.size());
    }
    return of(job);
  }
  void forget(GroupId job) { at_[job] = 0; }

 private:
  IdVector<GroupId, std::uint32_t> at_;  // one more than its place in sheets_; 0: none
  std::deque<TaskHeap> sheets_;
};

class Allocate {
 public:
  explicit Allocate(Session& session)
      : session_(session),
        placer_(session),
        topology_(session, placer_),
        fixed_order_(session.task_order_is_fixed()),
        lends_last_(session.config().has_action("reclaim") || session.config().has_action("gangreclaim")),
        tasks_(session.cluster().job_count()) {
    if (session.behaviour().keeps(Quirk::kLentBeforeOwed) || session.chain(Point::kPreemptive).empty()) lends_last_ = false;
  }

  void run() {
    turns_.emplace(session_);
    collect();
    keep_promises();
    lined_up_ = true;
    for (const auto job : waiting_) turns_->add(job);
    take_turns();
    if (borrowers_.empty()) return;
    lends_last_ = false;
    turns_.emplace(session_);
    for (const auto job : borrowers_) turns_->add(job);
    take_turns();
  }

 private:
  void take_turns() {
    while (const auto queue = turns_->next_queue()) {
      if (session_.overused(queue) || !turns_->has_jobs(queue)) continue;  // leaves for good
      auto& job = session_.cluster().job(turns_->next_job(queue));
      if (lends_last_ && borrows(job))
        borrowers_.push_back(job.id);
      else
        visit(job);
      turns_->back(queue);
    }
  }

  // Whether its queue would then hold more than it deserves, which others could reclaim.
  bool borrows(const Job& job) {
    if (!session_.cluster().queue(job.queue).reclaimable.value_or(true)) return false;
    if (!is_divided(job) && !tasks_.has(job.id) && stays_stuck(job)) return false;
    const auto missing = static_cast<std::size_t>(std::max<std::int64_t>(job.min_available - session_.counts(job).ready(), 1));
    std::vector<PodId> pods;
    const auto& all = session_.books().group(job.id).pods;
    for (const auto pod : tasks_.has(job.id) ? std::span<const PodId>(tasks_.of(job.id).items()) : std::span<const PodId>(all)) {
      if (pods.size() == missing) break;
      if (to_be_placed(session_, pod, GatedTasks::kOwnGate)) pods.push_back(pod);
    }
    return !pods.empty() && !session_.preemptive(job.queue, pods);
  }

  void collect() {
    const bool let_in = !session_.config().has_action("enqueue");
    session_.cluster().open_jobs().for_each([&](std::size_t id) {
      fetch_ahead_of(id);
      auto& job = session_.cluster().job(GroupId(id));
      if (job.status.phase == Phase::kPending) {
        if (!let_in) return;
        session_.set_phase(job, Phase::kInqueue);
      }
      if (!session_.job_valid(job)) return;
      if (job.sub_jobs && !session_.hyper_tree().ready() && job.sub_jobs->wants_closeness()) return;
      if (is_divided(job)) {
        JobWorksheet worksheet(session_, job, GatedTasks::kOwnGate);
        if (worksheet.empty()) return;
        worksheets_.emplace(job.id, std::move(worksheet));
        line_up(job.id);
        return;
      }
      if (may_be_stuck(job)) {
        line_up(job.id);
        return;
      }
      fill_tasks(job);
      if (!tasks_.has(job.id)) return;
      line_up(job.id);
    });
  }

  // The order of queues is asked when they join, and promises that are kept change it.
  void line_up(GroupId job) {
    const auto& promised = session_.memory().promised;
    if (promised.empty())
      turns_->add(job);
    else
      (promised.contains(job) ? promised_ : waiting_).push_back(job);
  }

  void come_back(GroupId job) {
    if (lined_up_)
      turns_->add(job);
    else
      waiting_.push_back(job);
  }

  // Where a job is placed for which others had to go: where they left, where nobody left for another job that still waits for it,
  // or on any node.
  enum class Where { kOwnRoom, kNobodysRoom, kAnywhere };

  // Jobs for which others had to go come first, and of these all who find the room that was made for them. A promise ends when it
  // is kept, and when there is no room for the job any more.
  void keep_promises() {
    auto& promised = session_.memory().promised;
    if (promised.empty()) return;
    std::sort(promised_.begin(), promised_.end(), [&](GroupId l, GroupId r) { return session_.job_before(l, r); });
    for (const auto where : {Where::kOwnRoom, Where::kNobodysRoom, Where::kAnywhere})
      for (std::size_t i = 0; i < promised_.size();)
        if (keep_promise(session_.cluster().job(promised_[i]), where))
          promised_.erase(promised_.begin() + static_cast<std::ptrdiff_t>(i));
        else
          ++i;
    std::erase_if(promised, [&](const auto& promise) {
      const auto counts = session_.counts(session_.cluster().job(promise.first));
      return counts.of(PodState::kPending) + counts.of(PodState::kPipelined) == 0;
    });
  }

  // False: there is no room there for what is left of it.
  bool keep_promise(Job& job, Where where) {
    if (session_.overused(job.queue)) {
      waiting_.push_back(job.id);
      return true;
    }
    const bool had_notes = job.notes != nullptr;
    const auto nodes = nodes_for(job.id, where);
    placer_.confine(where == Where::kAnywhere ? nullptr : &nodes);
    const bool placed = place_promised(job);
    placer_.confine(nullptr);
    const bool waits = session_.counts(job).of(PodState::kPipelined) != 0;
    if (!placed && !waits && where != Where::kAnywhere) {
      had_notes ? job.take_notes().forget_errors() : job.notes.reset();
      return false;
    }
    if (placed && has_tasks(job)) come_back(job.id);
    waits ? session_.promise(job.id) : void(session_.memory().promised.erase(job.id));
    return true;
  }

  Bitset nodes_for(GroupId job, Where where) const {
    const auto& promised = session_.memory().promised;
    Bitset nodes(session_.books().node_count(), where != Where::kOwnRoom);
    const auto assign = [&](const Promise& promise, bool may_be_used) {
      for (const auto& [pod, node] : promise.places) nodes.assign(node.index(), may_be_used);
      for (const auto node : promise.left_over) nodes.assign(node.index(), may_be_used);
    };
    if (where == Where::kOwnRoom) assign(promised.at(job), true);
    if (where == Where::kNobodysRoom)
      for (const auto other : promised_)
        if (other != job) assign(promised.at(other), false);
    return nodes;
  }

  // All pods that others had to go for, not those alone that the job needs in order to run.
  bool place_promised(Job& job) {
    if (!is_divided(job) && !tasks_.has(job.id)) fill_tasks(job);
    while (has_tasks(job)) {
      if (!attempt(job)) {
        tasks_.forget(job.id);  // it has taken off those that found no place
        return false;
      }
      const auto& pods = session_.books().group(job.id).pods;
      const bool all = std::none_of(pods.begin(), pods.end(), [&](PodId pod) {
        return session_.books().pod(pod).state == PodState::kPending && session_.promised_node(pod);
      });
      if (all) break;
    }
    return true;
  }

  bool has_tasks(const Job& job) {
    return is_divided(job) ? !worksheets_.at(job.id).empty() : tasks_.has(job.id) && !tasks_.of(job.id).empty();
  }

  // Jobs that wait are mostly neighbours.
  void fetch_ahead_of(std::size_t id) const {
    constexpr std::size_t kAhead = 4;
    if (id + kAhead >= session_.cluster().job_count()) return;
    fetch_ahead(session_.cluster().job(GroupId(id + kAhead)));
    fetch_ahead(session_.books().group(GroupId(id + kAhead)));
  }

  // Whether the job is placed sub-job by sub-job, or in domains. One that wants to be close, but not within a tier that anybody
  // knows, is not.
  static bool is_divided(const Job& job) { return job.sub_jobs && (job.sub_jobs->has_policies() || job.sub_jobs->has_hard_tier()); }

  // Whether the last attempt would be repeated step by step, as far as the job itself is concerned.
  bool may_be_stuck(const Job& job) const {
    if (!job.stuck || !fixed_order_) return false;
    const auto& group = session_.books().group(job.id);
    return job.stuck->group_version == group.version && job.stuck->count == group.count && job.stuck->phase == job.status.phase &&
           job.last_event;
  }

  bool stays_stuck(const Job& job) {
    if (!may_be_stuck(job) || !session_.allocatable(job.queue, job.stuck->pod)) return false;
    const auto stamp = placer_.attempt().refusal_stamp(job.stuck->pod);
    return stamp && *stamp == job.stuck->refusals;
  }

  void fill_tasks(const Job& job) {
    const auto& books = session_.books();
    if (session_.counts(job).of(PodState::kPending) == 0 && !session_.has_twins()) return;
    TaskHeap* heap = nullptr;
    for (const auto pod : books.group(job.id).pods) {
      if (!to_be_placed(session_, pod, GatedTasks::kOwnGate)) continue;
      if (heap == nullptr) {
        heap = &tasks_.make(job.id, session_);
        heap->reserve(books.group(job.id).pods.size());
      }
      heap->push(pod);
    }
  }

  // One turn of a job.
  void visit(Job& job) {
    if (attempt(job) && has_tasks(job)) come_back(job.id);
  }

  // Whether what was placed is decided. A job that is only pipelined keeps what it was given for the rest of the cycle, so that
  // nobody takes it away, and nothing of it is decided.
  bool attempt(Job& job) {
    if (is_divided(job)) return attempt_divided(job);
    if (!tasks_.has(job.id)) {
      if (stays_stuck(job)) {
        job.still_stuck = true;
        return false;
      }
      fill_tasks(job);
      if (!tasks_.has(job.id)) return false;
    }
    job.stuck.reset();
    return decide(job, place_tasks(job, tasks_.of(job.id)));
  }

  bool attempt_divided(Job& job) {
    if (!decide(job, topology_.place(job, worksheets_.at(job.id)))) return false;
    topology_.settle(job);
    return true;
  }

  bool decide(const Job& job, std::optional<Statement> statement) {
    if (!statement) return false;
    if (!session_.job_ready(job)) {
      session_.keep(std::move(*statement));
      return false;
    }
    if (!best_effort_can_follow(job)) {
      statement->discard();
      return false;
    }
    statement->commit(kRule);
    return true;
  }

  // Whether a job that is ready only because some of its pods ask for nothing has places for enough of those. They are tried and
  // taken back: placing them is backfill's business.
  bool best_effort_can_follow(const Job& job) {
    if (session_.behaviour().keeps(Quirk::kUncheckedBestEffort) || job.waiting_best_effort == 0) return true;
    const auto& books = session_.books();
    auto missing = job.min_available - session_.counts(job).ready();
    Statement trial(session_);
    for (const auto pod : books.group(job.id).pods) {
      if (missing <= 0) break;
      if (books.pod(pod).state != PodState::kPending || !books.shape_of(pod).best_effort || books.pod(pod).gated) continue;
      if (session_.pre_predicate(pod)) continue;
      const auto outcome = NodeAttempt(session_, NodeAttempt::Resources::kIgnored, NodeAttempt::Errors::kForgotten).find(pod);
      if (outcome.choice && trial.allocate(pod, outcome.choice->node)) --missing;
    }
    trial.release();
    return missing <= 0;
  }

  std::optional<Statement> place_tasks(Job& job, TaskHeap& tasks) {
    auto* whole = job.sub_jobs ? job.sub_jobs->all().data() : nullptr;  // without policies there is one
    auto& nominated = whole == nullptr ? job.nominated : whole->nominated;
    if (nominated)
      if (auto statement = placer_.place_nominated(job, whole, tasks)) {
        if (session_.job_ready(job)) nominated = HyperNodeId();
        return statement;
      }
    auto result = placer_.place(job, whole, tasks, HyperTree::root());
    if (!result.statement && result.hopeless && fixed_order_) remember_stuck(job, *result.hopeless);
    return std::move(result.statement);
  }

  // The first task failed, and with it the job: until something changes it will again.
  void remember_stuck(Job& job, const TaskPlacer::Hopeless& hopeless) {
    const auto& group = session_.books().group(job.id);
    job.stuck = std::make_unique<Stuck>(Stuck{hopeless.pod, session_.books().pod(hopeless.pod).role, hopeless.outcome.errors,
                                              *hopeless.outcome.refusals, group.version, group.count, job.status.phase});
  }

  Session& session_;
  std::optional<Turns> turns_;
  TaskPlacer placer_;
  TopologyAllocate topology_;
  bool fixed_order_;
  bool lends_last_;                 // jobs whose queues do not deserve what they ask for come last
  std::vector<GroupId> borrowers_;  // those
  std::vector<GroupId> promised_;   // jobs that others had to make way for
  std::vector<GroupId> waiting_;    // the others, until promises are kept
  bool lined_up_ = false;
  Worksheets tasks_;                                             // of jobs that are one gang
  boost::unordered_flat_map<GroupId, JobWorksheet> worksheets_;  // of the others
};

}  // namespace

void allocate(Session& session) { Allocate(session).run(); }

}  // namespace muster::volcano
