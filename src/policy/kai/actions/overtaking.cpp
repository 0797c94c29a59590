#include "policy/kai/actions/overtaking.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <utility>

#include "policy/kai/actions/preempt.h"
#include "policy/kai/next_tasks.h"

namespace muster::kai {
namespace {

constexpr int kMostOvertakers = 8;  // of one plan that are tried; others like them are not

}  // namespace

Overtaking::Overtaking(Session& session, const RoomRules& rules)
    : session_(session), rules_(rules), looks_(rules.yields && !session.keeps(Quirk::kOvertakenPlans)) {}

void Overtaking::has_turn(Job& job) {
  if (looks_) had_turn_[job.queue].push_back(&job);
}

bool Overtaking::is_worth_trying(const Job& job) const {
  const auto known = held_back_.find(job.queue);
  return known == held_back_.end() || known->second.is_worth_trying(session_, job);
}

std::optional<Statement> Overtaking::preempted_for(Job& urgent) {
  const auto rules = preempt_rules(session_);
  if (!rules.is_allowed(urgent)) return std::nullopt;
  const auto make_filter = [&] { return rules.make_victim_filter(urgent); };
  return JobSolver(session_, urgent, {rules.action, rules.is_valid, make_filter, rules.queues, false}).solve();
}

// Whether an urgent job need not preempt because its queue may hold all that more urgent ones wait for, too, and others may leave
// for what it needs next.
bool Overtaking::helps_itself(Job& urgent, const Job& less) {
  if (!rules_.may_try) return false;
  Quantities waiting;
  for (const auto* job : had_turn_[less.queue])
    if (job->priority > less.priority) waiting += job->waiting.quantities();
  next_tasks(session_, urgent, Mode::kSimulation);  // known from here on, so that only the request is another
  const auto request = std::exchange(urgent.next_request, waiting);
  const bool within_share = rules_.may_try(urgent);
  urgent.next_request = request;
  if (!within_share) return false;
  session_.job_solution_start();
  const auto is_valid = [&](const Scenario& scenario) {
    return rules_.is_valid(scenario) && (!rules_.lasts || rules_.lasts(scenario));
  };
  const auto make_filter = [&] { return rules_.make_victim_filter(urgent); };
  auto plan = JobSolver(session_, urgent, {rules_.action, is_valid, make_filter, rules_.queues, rules_.counts_victims}).solve();
  if (!plan) return false;
  plan->discard();
  return true;
}

bool Overtaking::is_overtaken(const Statement& plan, Job& job) {
  if (!looks_ || !job.preemptible) return false;
  const auto& cluster = session_.cluster();
  const auto leaves = [&](PodId pod) { return cluster.task(pod).status == Status::kReleasing; };
  FailedJobs in_vain;
  int tried = 0;
  for (auto* urgent : had_turn_[job.queue]) {
    if (urgent->priority <= job.priority || urgent->count(Status::kPending) == 0) continue;
    if (!in_vain.is_worth_trying(session_, *urgent)) continue;
    if (tried++ == kMostOvertakers) return false;
    if (helps_itself(*urgent, job)) continue;
    auto preempted = preempted_for(*urgent);
    if (!preempted) {
      in_vain.remember(session_, *urgent);
      continue;
    }
    const auto gone = preempted->evicted();
    const bool overtakes =
        std::any_of(gone.begin(), gone.end(), [&](PodId pod) { return leaves(pod) && session_.books().pod(pod).group == job.id; });
    if (overtakes) {
      overtaker_ = urgent;
      asked_ = plan.evicted();
      leave_.clear();
      std::copy_if(asked_.begin(), asked_.end(), std::back_inserter(leave_), leaves);
      std::copy_if(gone.begin(), gone.end(), std::back_inserter(leave_), leaves);
      asked_.insert(asked_.end(), gone.begin(), gone.end());
    }
    preempted->discard();
    if (overtakes) return true;
  }
  return false;
}

// By job, as far as they have places to leave.
std::vector<VictimBatch> Overtaking::victims_of_both() const {
  std::map<GroupId, std::vector<PodId>> by_job;
  boost::unordered_flat_set<PodId> told;
  for (const auto pod : asked_)
    if (kActiveAllocated.contains(session_.cluster().task(pod).status) && told.insert(pod).second)
      by_job[session_.books().pod(pod).group].push_back(pod);
  std::vector<VictimBatch> victims;
  for (auto& [job, tasks] : by_job) victims.push_back({job, std::move(tasks)});
  return victims;
}

bool Overtaking::settle(Statement& plan, Job& job) {
  plan.discard();
  const auto victims = victims_of_both();
  const bool served =
      session_.is_served(overtaker_->id) ||
      std::any_of(victims.begin(), victims.end(), [&](const VictimBatch& batch) { return session_.is_served(batch.job); });
  if (served && !session_.keeps(Quirk::kBrokenPromises)) {
    held_back_[job.queue].remember(session_, job);
    return true;
  }
  const auto is_valid = [&](const Scenario& scenario) {
    for (const auto& batch : scenario.victims())
      for (const auto pod : batch.tasks)
        if (session_.cluster().task(pod).status == Status::kReleasing &&
            std::find(leave_.begin(), leave_.end(), pod) == leave_.end())
          return false;
    return !rules_.lasts || rules_.lasts(scenario);
  };
  session_.job_solution_start();
  auto instead =
      JobSolver(session_, *overtaker_, {rules_.action, is_valid, {}, rules_.queues, false, "preempt"}).solve_with(victims);
  if (!instead) return false;
  instead->commit(rules_.action);
  return true;
}

}  // namespace muster::kai
