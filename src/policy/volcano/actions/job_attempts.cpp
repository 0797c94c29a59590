#include "policy/volcano/actions/job_attempts.h"

#include <algorithm>
#include <span>

namespace muster::volcano {
namespace {

constexpr std::string_view kAllocateRule = "allocate";

}  // namespace

TaskHeap& JobAttempts::Worksheets::make(GroupId job, Session& session) {
  if (at_[job] == 0) {
    sheets_.emplace_back(TaskBefore{&session});
    at_[job] = static_cast<std::uint32_t>(sheets_.size());
  }
  return of(job);
}

JobAttempts::JobAttempts(Session& session)
    : session_(session),
      placer_(session),
      topology_(session, placer_),
      fixed_order_(session.task_order_is_fixed()),
      tasks_(session.cluster().job_count()) {}

// Whether the job is placed sub-job by sub-job, or in domains. One that wants to be close, but not within a tier that anybody
// knows, is not.
bool JobAttempts::is_divided(const Job& job) {
  return job.sub_jobs && (job.sub_jobs->has_policies() || job.sub_jobs->has_hard_tier());
}

// ------------------------------------------------------------------------------------------------ what is to be placed

bool JobAttempts::take_in(Job& job) {
  if (is_divided(job)) {
    JobWorksheet worksheet(session_, job, GatedTasks::kOwnGate);
    if (worksheet.empty()) return false;
    divided_.emplace(job.id, std::move(worksheet));
    return true;
  }
  if (may_be_stuck(job)) return true;  // its tasks are listed when they are needed
  fill_tasks(job);
  return tasks_.has(job.id);
}

void JobAttempts::fill_tasks(const Job& job) {
  const auto& books = session_.books();
  if (session_.counts(job).of(PodState::kPending) == 0 && !session_.twins().any()) return;
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

bool JobAttempts::has_tasks(const Job& job) {
  return is_divided(job) ? !divided_.at(job.id).empty() : tasks_.has(job.id) && !tasks_.of(job.id).empty();
}

std::vector<PodId> JobAttempts::next_pods(const Job& job) {
  std::vector<PodId> pods;
  if (!is_divided(job) && !tasks_.has(job.id) && stays_stuck(job)) return pods;
  const auto missing = static_cast<std::size_t>(std::max<std::int64_t>(job.min_available - session_.counts(job).ready(), 1));
  const auto& all = session_.books().group(job.id).pods;
  for (const auto pod : tasks_.has(job.id) ? std::span<const PodId>(tasks_.of(job.id).items()) : std::span<const PodId>(all)) {
    if (pods.size() == missing) break;
    if (to_be_placed(session_, pod, GatedTasks::kOwnGate)) pods.push_back(pod);
  }
  return pods;
}

// --------------------------------------------------------------------------------------------------------- attempts

bool JobAttempts::attempt(Job& job) {
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

bool JobAttempts::attempt_promised(Job& job) {
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

bool JobAttempts::attempt_divided(Job& job) {
  if (!decide(job, topology_.place(job, divided_.at(job.id)))) return false;
  topology_.settle(job);
  return true;
}

std::optional<Statement> JobAttempts::place_tasks(Job& job, TaskHeap& tasks) {
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

bool JobAttempts::decide(const Job& job, std::optional<Statement> statement) {
  if (!statement) return false;
  if (!session_.job_ready(job)) {
    session_.keep(std::move(*statement));
    return false;
  }
  if (!best_effort_can_follow(job)) {
    statement->discard();
    return false;
  }
  statement->commit(kAllocateRule);
  return true;
}

// Whether a job that is ready only because some of its pods ask for nothing has places for enough of those. They are tried and
// taken back: placing them is backfill's business.
bool JobAttempts::best_effort_can_follow(const Job& job) {
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

// ------------------------------------------------------------------------------------------- attempts not repeated

// Whether the last attempt would be repeated step by step, as far as the job itself is concerned.
bool JobAttempts::may_be_stuck(const Job& job) const {
  if (!job.stuck || !fixed_order_) return false;
  const auto& group = session_.books().group(job.id);
  return job.stuck->group_version == group.version && job.stuck->count == group.count && job.stuck->phase == job.status.phase &&
         job.last_event;
}

bool JobAttempts::stays_stuck(const Job& job) {
  if (!may_be_stuck(job) || !session_.allocatable(job.queue, job.stuck->pod)) return false;
  const auto stamp = placer_.attempt().refusal_stamp(job.stuck->pod);
  return stamp && *stamp == job.stuck->refusals;
}

// The first task failed, and with it the job: until something changes it will again.
void JobAttempts::remember_stuck(Job& job, const TaskPlacer::Hopeless& hopeless) {
  const auto& group = session_.books().group(job.id);
  job.stuck = std::make_unique<Stuck>(Stuck{hopeless.pod, session_.books().pod(hopeless.pod).role, hopeless.outcome.errors,
                                            *hopeless.outcome.refusals, group.version, group.count, job.status.phase});
}

}  // namespace muster::volcano
