#include "policy/volcano/actions/allocate.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <optional>

#include "policy/volcano/actions/node_attempt.h"
#include "policy/volcano/actions/turns.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kRule = "allocate";

struct TaskBefore {
  Session* session;
  bool operator()(PodId left, PodId right) const { return session->task_before(left, right); }
};
using TaskHeap = Heap<PodId, TaskBefore>;

// The tasks that each job still has to place, best first. Only jobs that have any.
class Worksheets {
 public:
  bool has(GroupId job) const { return at_.find(job) != at_.end(); }
  TaskHeap& of(GroupId job) { return sheets_[at_.at(job)]; }
  TaskHeap& make(GroupId job, Session& session) {
    const auto [at, added] = at_.try_emplace(job, static_cast<std::uint32_t>(sheets_.size()));
    if (added) sheets_.emplace_back(TaskBefore{&session});
    return sheets_[at->second];
  }

 private:
  boost::unordered_flat_map<GroupId, std::uint32_t> at_;
  std::deque<TaskHeap> sheets_;
};

class Allocate {
 public:
  explicit Allocate(Session& session)
      : session_(session),
        turns_(session),
        remember_errors_(session.config().action_arguments(kRule).get_bool("predicateErrorCacheEnable", true)),
        fixed_order_(session.task_order_is_fixed()) {}

  void run() {
    collect();
    while (const auto queue = turns_.next_queue()) {
      if (session_.overused(queue) || !turns_.has_jobs(queue)) continue;  // leaves for good
      visit(session_.cluster().job(turns_.next_job(queue)));
      turns_.back(queue);
    }
  }

 private:
  void collect() {
    const bool let_in = !session_.config().has_action("enqueue");
    session_.cluster().open_jobs().for_each([&](std::size_t id) {
      auto& job = session_.cluster().job(GroupId(id));
      if (job.status.phase == Phase::kPending) {
        if (!let_in) return;
        session_.set_phase(job, Phase::kInqueue);
      }
      if (!session_.job_valid(job)) return;
      if (!job.sub_groups.empty()) {
        refuse_sub_groups(job);
        return;
      }
      if (may_be_stuck(job)) {
        turns_.add(job.id);
        return;
      }
      fill_tasks(job);
      if (!tasks_.has(job.id)) return;
      turns_.add(job.id);
    });
  }

  // Gangs within gangs have minimums of their own; placing their pods without looking at those would be wrong.
  void refuse_sub_groups(Job& job) {
    for (const auto pod : session_.books().group(job.id).pods) {
      if (session_.books().pod(pod).state != PodState::kPending) continue;
      auto errors = std::make_shared<FitErrors>();
      errors->head = "sub-group policies are not supported by this version of muster";
      note_failure(job, pod, std::move(errors));
      return;
    }
  }

  // Whether the last attempt would be repeated step by step, as far as the job itself is concerned.
  bool may_be_stuck(const Job& job) const {
    if (!job.stuck || !fixed_order_) return false;
    const auto& group = session_.books().group(job.id);
    return job.stuck->group_version == group.version && job.stuck->count == group.count && job.stuck->phase == job.status.phase &&
           job.last_event;
  }

  bool stays_stuck(Job& job) {
    if (!may_be_stuck(job) || !session_.allocatable(job.queue, job.stuck->pod)) return false;
    NodeAttempt attempt(session_, NodeAttempt::Resources::kChecked, remember_errors_);
    const auto stamp = attempt.refusal_stamp(job.stuck->pod);
    return stamp && *stamp == job.stuck->refusals;
  }

  void fill_tasks(const Job& job) {
    const auto& books = session_.books();
    if (session_.counts(job).of(PodState::kPending) == 0) return;
    TaskHeap* heap = nullptr;
    for (const auto pod : books.group(job.id).pods) {
      const auto& record = books.pod(pod);
      if (record.state != PodState::kPending || books.shape(record.shape).best_effort) continue;
      if (record.gated && !session_.cluster().task(pod).only_own_gate) continue;
      if (heap == nullptr) {
        heap = &tasks_.make(job.id, session_);
        heap->reserve(books.group(job.id).pods.size());
      }
      heap->push(pod);
    }
  }

  // One turn of a job. A job that is only pipelined keeps what it was given for the rest of the cycle, so that nobody takes it
  // away, and nothing of it is decided.
  void visit(Job& job) {
    if (!tasks_.has(job.id)) {
      if (stays_stuck(job)) {
        job.still_stuck = true;
        return;
      }
      fill_tasks(job);
    }
    job.stuck.reset();
    auto statement = place_tasks(job, tasks_.of(job.id));
    if (!statement) return;
    if (!session_.job_ready(job)) {
      session_.keep(std::move(*statement));
      return;
    }
    if (!best_effort_can_follow(job)) {
      statement->discard();
      return;
    }
    statement->commit(kRule);
    if (!tasks_.of(job.id).empty()) turns_.job_back(job.id);
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
      const auto outcome = NodeAttempt(session_, NodeAttempt::Resources::kIgnored, false).find(pod);
      if (outcome.choice && trial.allocate(pod, outcome.choice->node)) --missing;
    }
    trial.release();
    return missing <= 0;
  }

  std::optional<Statement> place_tasks(Job& job, TaskHeap& tasks) {
    if (session_.books().node_count() == 0) return std::nullopt;
    Statement statement(session_);
    NodeAttempt attempt(session_, NodeAttempt::Resources::kChecked, remember_errors_);
    const bool fresh = job.notes == nullptr;
    for (bool first = true; !tasks.empty(); first = false) {
      const auto pod = tasks.pop();
      if (!session_.allocatable(job.queue, pod) || session_.books().pod(pod).gated || role_failed(job, pod)) continue;
      const auto outcome = search(attempt, pod);
      if (!outcome.feasible) {
        note_failure(job, pod, outcome.errors);
        if (worth_going_on(job)) continue;
        if (first && fresh && outcome.refusals) remember_stuck(job, pod, outcome);
        break;
      }
      if (!outcome.choice || !place(statement, pod, *outcome.choice)) continue;
      if (session_.job_ready(job)) break;
    }
    if (session_.job_ready(job) || session_.job_pipelined(job)) return statement;
    statement.discard();
    return std::nullopt;
  }

  // The first task failed, and with it the job: until something changes it will again.
  void remember_stuck(Job& job, PodId pod, const NodeAttempt::Outcome& outcome) {
    if (!fixed_order_ || session_.job_ready(job) || session_.job_pipelined(job)) return;
    const auto& group = session_.books().group(job.id);
    job.stuck = std::make_unique<Stuck>(Stuck{pod, session_.books().pod(pod).role, outcome.errors, *outcome.refusals, group.version,
                                              group.count, job.status.phase});
  }

  NodeAttempt::Outcome search(NodeAttempt& attempt, PodId pod) {
    if (const auto refusal = session_.pre_predicate(pod))
      return {false, std::nullopt, error_on_all_nodes(session_, *refusal), std::nullopt};
    return attempt.find(pod);
  }

  static bool place(Statement& statement, PodId pod, const NodeSearch::Choice& choice) {
    return choice.when == NodeSearch::When::kNow ? statement.allocate(pod, choice.node) : statement.pipeline(pod, choice.node);
  }

  // Once a task of a role has failed, the others of that role are not tried any more in this cycle.
  bool role_failed(Job& job, PodId pod) {
    const auto& record = session_.books().pod(pod);
    if (!record.role || !job.notes || !job.notes->role_failed(record.role)) return false;
    auto errors = std::make_shared<FitErrors>();
    errors->head = "Task " + record.name + " with role spec " + session_.books().symbols().text(record.role) +
                   " has already predicated failed, skip";
    note_failure(job, pod, std::move(errors));
    return true;
  }

  void note_failure(Job& job, PodId pod, std::shared_ptr<FitErrors> errors) {
    auto& notes = job.take_notes();
    notes.task(pod).errors = std::move(errors);
    const auto role = session_.books().pod(pod).role;
    if (!notes.role_failed(role)) notes.failed_roles.push_back(role);
  }

  // Whether the job can still reach its minimum after a failure.
  bool worth_going_on(const Job& job) const {
    const auto counts = session_.counts(job);
    if (job.min_available >= counts.tasks()) return false;
    const auto failed = [&](const Role& role) { return job.notes && job.notes->role_failed(role.name); };
    if (!counts.roles_matter()) {
      std::int64_t left = 0;
      for (const auto& role : job.roles)
        if (!failed(role)) left += role.count[static_cast<std::size_t>(PodState::kPending)];
      return counts.ready() + left >= job.min_available;
    }
    for (const auto& role : job.roles)
      if (failed(role) && role.minimum > 0 && role_ready(role) < role.minimum) return false;
    return true;
  }

  Session& session_;
  Turns turns_;
  bool remember_errors_;
  bool fixed_order_;
  Worksheets tasks_;
};

}  // namespace

void allocate(Session& session) { Allocate(session).run(); }

}  // namespace muster::volcano
