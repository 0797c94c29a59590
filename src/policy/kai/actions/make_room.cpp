#include "policy/kai/actions/make_room.h"

#include "policy/kai/actions/failed_jobs.h"
#include "policy/kai/actions/job_line.h"
#include "policy/kai/actions/overtaking.h"
#include "policy/kai/next_tasks.h"
#include "policy/kai/status_text.h"

namespace muster::kai {
namespace {

// A job may ask others to leave only some time after it came, or after it had to leave itself.
bool is_delayed(const Session& session, const Job& job) {
  if (!job.preemption_delay) return false;
  const auto start = std::max(job.created, job.stamps.last_eviction.value_or(job.created));
  return nanos_between(start, session.now()) < *job.preemption_delay;
}

bool noted_delay(const Job& job) {
  for (const auto& error : job.errors)
    if (error.reason == FitReason::kPreemptionDelayNotElapsed) return true;
  return false;
}

// What no eviction could cure.
bool is_hopeless(Session& session, Job& job) {
  for (const auto pod : next_tasks(session, job, Mode::kSimulation))
    if (auto refusal = session.victim_invariant(pod)) {
      const auto told = session.tell_victim_invariant(pod, *refusal);
      session.fit_errors().refuse(pod, told);
      job.fail(FitReason::kPodSchedulingErrors, session.books().pod_key(pod) + ": " + *refusal, pod_error_text(session, pod, told));
      return true;
    }
  return false;
}

// Nobody is asked to leave whom this cycle has just given something.
std::function<bool(const Job&)> unless_served(const Session& session, std::function<bool(const Job&)> is_victim) {
  if (session.keeps(Quirk::kBrokenPromises)) return is_victim;
  return [&session, is_victim = std::move(is_victim)](const Job& job) { return !session.is_served(job.id) && is_victim(job); };
}

std::optional<Statement> look_for_room(Session& session, Job& job, const RoomRules& rules) {
  if (rules.is_allowed && !rules.is_allowed(job)) return std::nullopt;
  session.job_solution_start();
  const auto make_filter = [&] { return unless_served(session, rules.make_victim_filter(job)); };
  const auto is_valid = [&](const Scenario& scenario) {
    return rules.is_valid(scenario) && (!rules.lasts || rules.lasts(scenario));
  };
  return JobSolver(session, job, {rules.action, is_valid, make_filter, rules.queues, rules.counts_victims}).solve();
}

// Makes room for the job, or for whom it would go to in the end; false: nobody may leave for it.
bool serve(Session& session, Job& job, const RoomRules& rules, Overtaking& overtaking) {
  auto plan = look_for_room(session, job, rules);
  if (!plan) return false;
  if (!overtaking.is_overtaken(*plan, job)) {
    plan->commit(rules.action);
    return true;
  }
  if (overtaking.settle(*plan, job)) return true;
  if (auto again = look_for_room(session, job, rules)) again->commit(rules.action);
  return true;
}

}  // namespace

void make_room(Session& session, const RoomRules& rules) {
  const auto& depths = session.config().queue_depth;
  const auto depth = depths.find(rules.action);
  JobLine line(session, {JobLine::Kind::kPending, depth == depths.end() ? std::nullopt : std::optional(depth->second)});
  push_jobs(session, line, {true, true, rules.preemptible_only}, [&](Job& job) {
    if (!is_delayed(session, job)) return true;
    if (!noted_delay(job))
      job.fail(FitReason::kPreemptionDelayNotElapsed, "its preemption delay has not elapsed yet", delay_text(job));
    return false;
  });
  std::map<QueueId, FailedJobs> failed;
  Overtaking overtaking(session, rules);
  while (!line.empty()) {
    auto& job = line.pop();
    overtaking.has_turn(job);
    if (rules.may_try && !rules.may_try(job)) continue;
    auto& in_vain = failed[rules.remembers_by_queue ? job.queue : QueueId()];
    if (session.cluster().options().use_signatures && !in_vain.is_worth_trying(session, job)) continue;
    if (!overtaking.is_worth_trying(job) || is_hopeless(session, job)) continue;
    ++session.tally(rules.action).jobs;
    if (!serve(session, job, rules, overtaking)) in_vain.remember(session, job);
  }
}

}  // namespace muster::kai
