#include "policy/volcano/actions/topology_allocate.h"

#include <algorithm>

namespace muster::volcano {

std::optional<Statement> TopologyAllocate::place(Job& job, JobWorksheet& worksheet) {
  purpose_ = Purpose::kAllocate;
  if (auto statement = place_in_first_row(job, worksheet)) return statement;
  if (session_.behaviour().keeps(Quirk::kAllOrNoneTopology) || !can_do_with_fewer(job)) return std::nullopt;
  purpose_ = Purpose::kAllocateMinimum;
  return place_in_first_row(job, worksheet);
}

// Whether domains are chosen for more pods than the job needs.
bool TopologyAllocate::can_do_with_fewer(const Job& job) const {
  if (session_.chain(Point::kHyperNodeGradient).empty()) return false;
  const auto& sub_jobs = job.sub_jobs->all();
  return std::any_of(sub_jobs.begin(), sub_jobs.end(), [](const SubJob& sub_job) {
    const auto waiting = sub_job.of(PodState::kPending) - static_cast<std::int64_t>(sub_job.waiting_best_effort);
    return !sub_job.allocated && sub_job.closeness.hard_tier && waiting > sub_job.missing();
  });
}

std::optional<Statement> TopologyAllocate::place_in_first_row(Job& job, JobWorksheet& worksheet) {
  for (const auto& row : session_.gradients(job, HyperTree::root(), purpose_)) {
    JobContest contest(session_, job, row, clean_);
    if (purpose_ == Purpose::kAllocate) foresight_.tell(contest, job, worksheet, row);
    while (const auto domain = contest.next())
      if (auto trial = try_job(job, worksheet, domain))
        contest.passed(std::move(*trial));
      else
        contest.failed(most_placed_);
    auto winner = contest.winner();
    if (!winner) continue;
    worksheet = std::move(winner->rest);
    decisions_[job.id].domain = winner->domain;
    return std::move(winner->statement);
  }
  return std::nullopt;
}

std::optional<JobContest::Trial> TopologyAllocate::try_job(Job& job, const JobWorksheet& worksheet, HyperNodeId domain) {
  if (job.notes) job.notes->forget_errors();
  auto& sub_jobs = *job.sub_jobs;
  std::vector<HyperNodeId> before;
  for (const auto& sub_job : sub_jobs.all()) before.push_back(sub_job.allocated);

  JobContest::Trial trial{{}, worksheet, 0};
  most_placed_ = 0;
  std::size_t in_effect = 0;
  while (!trial.rest.empty()) {
    auto& sheet = trial.rest.next();
    auto& sub_job = sub_jobs[sheet.sub_job];
    auto placed = place_sub_job(job, sub_job, sheet.tasks, domain);
    if (!placed || placed->statement.empty()) continue;
    placed_in(job, sub_job, domain, placed->domain);
    in_effect += placed->statement.size();
    trial.statements.push_back(std::move(placed->statement));
    trial.score += placed->score;
    if (!sheet.tasks.empty()) trial.rest.back(sheet);
    if (session_.job_ready(job)) break;
  }
  for (std::size_t i = 0; i < before.size(); ++i) sub_jobs.all()[i].allocated = before[i];

  if (!trial.statements.empty() && (session_.job_ready(job) || session_.job_pipelined(job))) return trial;
  for (auto& statement : trial.statements) statement.discard();
  most_placed_ += in_effect;
  return std::nullopt;
}

std::optional<TaskContest::Winner> TopologyAllocate::place_sub_job(Job& job, SubJob& sub_job, TaskHeap& tasks, HyperNodeId within) {
  if (const auto nominated = sub_job.nominated)
    if (auto statement = placer_.place_nominated(job, &sub_job, tasks))
      return TaskContest::Winner{nominated, std::move(*statement), tasks, 0};
  for (const auto& row : session_.gradients(job, &sub_job, within, purpose_))
    if (auto winner = place_in_best(job, sub_job, tasks, row)) return winner;
  return std::nullopt;
}

std::optional<TaskContest::Winner> TopologyAllocate::place_in_best(Job& job, SubJob& sub_job, TaskHeap& tasks,
                                                                   std::span<const HyperNodeId> row) {
  TaskContest contest(session_, job, row, clean_);
  const bool scores_are_known = purpose_ == Purpose::kAllocate && foresight_.tell(contest, job, sub_job, tasks, row);
  while (const auto domain = contest.next())
    if (auto trial = try_tasks(job, sub_job, tasks, domain)) {
      trial->score = contest.foreseen_score();
      contest.passed(std::move(*trial));
    } else {
      contest.failed(placed_);
    }
  if (!scores_are_known) contest.rate(session_.hyper_node_scores(&sub_job, contest.unrated()));
  auto winner = contest.winner();
  if (winner) tasks = winner->rest;
  return winner;
}

std::optional<TaskContest::Trial> TopologyAllocate::try_tasks(Job& job, SubJob& sub_job, const TaskHeap& tasks,
                                                              HyperNodeId domain) {
  if (job.notes) job.notes->forget_errors(*job.sub_jobs, sub_job.id);
  TaskContest::Trial trial{{}, tasks, 0};
  auto result = placer_.place(job, &sub_job, trial.rest, domain);
  placed_ = result.placed;
  most_placed_ = std::max(most_placed_, placed_);
  if (!result.statement || result.statement->empty()) return std::nullopt;
  trial.statements.push_back(std::move(*result.statement));
  return trial;
}

// ------------------------------------------------------------------------------------------------------ decisions

void TopologyAllocate::placed_in(Job& job, SubJob& sub_job, HyperNodeId within, HyperNodeId domain) {
  sub_job.allocated = session_.hyper_tree().common(sub_job.allocated, domain);
  auto& known = decisions_[job.id].sub_jobs;
  const auto at =
      std::find_if(known.begin(), known.end(), [&](const SubDecision& d) { return d.within == within && d.sub_job == sub_job.id; });
  if (at == known.end())
    known.push_back({within, sub_job.id, sub_job.allocated});
  else
    at->domain = sub_job.allocated;
}

void TopologyAllocate::settle(Job& job) {
  const auto found = decisions_.find(job.id);
  if (found == decisions_.end()) return;
  const auto& tree = session_.hyper_tree();
  const auto& decision = found->second;
  job.sub_jobs->allocated = tree.common(job.sub_jobs->allocated, decision.domain);
  for (const auto& [within, id, domain] : decision.sub_jobs) {
    if (within != decision.domain) continue;
    auto& sub_job = (*job.sub_jobs)[id];
    sub_job.allocated = tree.common(sub_job.allocated, domain);
    sub_job.nominated = HyperNodeId();
  }
}

}  // namespace muster::volcano
