#include "policy/volcano/actions/topology_allocate.h"

#include <algorithm>
#include <limits>

namespace muster::volcano {
namespace {

// Pods that nothing tells apart but their names, so that whether one finds a place is known of all.
bool alike(const Session& session, std::span<const PodId> pods) {
  const auto& books = session.books();
  const auto& first = books.pod(pods.front());
  return std::all_of(pods.begin(), pods.end(), [&](PodId pod) {
    const auto& record = books.pod(pod);
    return record.shape == first.shape && record.role == first.role && record.gated == first.gated &&
           session.cluster().task(pod).nominated_node.empty();
  });
}

}  // namespace

std::optional<Statement> TopologyAllocate::place(Job& job, JobWorksheet& worksheet) {
  for (const auto& row : session_.gradients(job, HyperTree::root(), Purpose::kAllocate)) {
    JobContest contest(session_, row);
    if (const auto scores = foreseen_scores(job, worksheet, row)) contest.foresee(*scores);
    while (const auto domain = contest.next())
      if (auto trial = try_job(job, worksheet, domain))
        contest.passed(std::move(*trial));
      else
        contest.failed();
    auto winner = contest.winner();
    if (!winner) continue;
    worksheet = std::move(winner->rest);
    decisions_[job.id].domain = winner->domain;
    return std::move(winner->statement);
  }
  return std::nullopt;
}

std::optional<TopologyAllocate::JobContest::Trial> TopologyAllocate::try_job(Job& job, const JobWorksheet& worksheet,
                                                                             HyperNodeId domain) {
  if (job.notes) job.notes->forget_errors();
  auto& sub_jobs = *job.sub_jobs;
  std::vector<HyperNodeId> before;
  for (const auto& sub_job : sub_jobs.all()) before.push_back(sub_job.allocated);

  JobContest::Trial trial{{}, worksheet, 0};
  while (!trial.rest.empty()) {
    auto& sheet = trial.rest.next();
    auto& sub_job = sub_jobs[sheet.sub_job];
    auto placed = place_sub_job(job, sub_job, sheet.tasks, domain);
    if (!placed || placed->statement.empty()) continue;
    placed_in(job, sub_job, domain, placed->domain);
    trial.statements.push_back(std::move(placed->statement));
    trial.score += placed->score;
    if (!sheet.tasks.empty()) trial.rest.back(sheet);
    if (session_.job_ready(job)) break;
  }
  for (std::size_t i = 0; i < before.size(); ++i) sub_jobs.all()[i].allocated = before[i];

  if (!trial.statements.empty() && (session_.job_ready(job) || session_.job_pipelined(job))) return trial;
  for (auto& statement : trial.statements) statement.discard();
  return std::nullopt;
}

std::optional<TopologyAllocate::TaskContest::Winner> TopologyAllocate::place_sub_job(Job& job, SubJob& sub_job, TaskHeap& tasks,
                                                                                     HyperNodeId within) {
  if (const auto nominated = sub_job.nominated)
    if (auto statement = placer_.place_nominated(job, &sub_job, tasks))
      return TaskContest::Winner{nominated, std::move(*statement), tasks, 0};
  for (const auto& row : session_.gradients(job, &sub_job, within, Purpose::kAllocate))
    if (auto winner = place_in_best(job, sub_job, tasks, row)) return winner;
  return std::nullopt;
}

std::optional<TopologyAllocate::TaskContest::Winner> TopologyAllocate::place_in_best(Job& job, SubJob& sub_job, TaskHeap& tasks,
                                                                                     std::span<const HyperNodeId> row) {
  TaskContest contest(session_, row);
  const auto scores = foreseen_scores(job, sub_job, tasks, row);
  if (scores) contest.foresee(*scores);
  while (const auto domain = contest.next()) {
    const auto score = scores ? contest.bound_of_next() : 0;
    if (auto trial = try_tasks(job, sub_job, tasks, domain)) {
      trial->score = score;
      contest.passed(std::move(*trial));
    } else {
      contest.failed();
    }
  }
  if (!scores) contest.rate(session_.hyper_node_scores(&sub_job, contest.unrated()));
  auto winner = contest.winner();
  if (winner) tasks = winner->rest;
  return winner;
}

std::optional<TopologyAllocate::TaskContest::Trial> TopologyAllocate::try_tasks(Job& job, SubJob& sub_job, const TaskHeap& tasks,
                                                                                HyperNodeId domain) {
  if (job.notes) job.notes->forget_errors(*job.sub_jobs, sub_job.id);
  TaskContest::Trial trial{{}, tasks, 0};
  auto statement = placer_.place(job, &sub_job, trial.rest, domain).statement;
  if (!statement || statement->empty()) return std::nullopt;
  trial.statements.push_back(std::move(*statement));
  return trial;
}

// ------------------------------------------------------------------------------------------- what is known beforehand

// Whether which tasks a trial places does not depend on the domain, once it passes: all, or the first so many of equal ones. A
// sub-job that has pods somewhere already is drawn to where they are, depending on which other domains pass.
bool TopologyAllocate::foreseeable(const Job& job, const SubJob& sub_job, const TaskHeap& tasks) const {
  if (!clean_ || session_.sub_job_ready(job, &sub_job) || session_.sub_job_pipelined(job, &sub_job)) return false;
  const auto& books = session_.books();
  if (std::any_of(sub_job.pods.begin(), sub_job.pods.end(), [&](PodId pod) { return static_cast<bool>(books.pod(pod).node); }))
    return false;
  const auto& pods = tasks.items();
  const auto is_local = [&](PodId pod) { return session_.filter_dependence(pod) <= Dependence::kNode; };
  if (!std::all_of(pods.begin(), pods.end(), is_local)) return false;
  const auto missing = sub_job.min_available - sub_job.ready() - sub_job.waiting_best_effort;
  return missing >= static_cast<std::int64_t>(pods.size()) || (books.nothing_moves() && alike(session_, pods));
}

// A sub-job's score of a domain does not depend on what is placed how.
std::optional<std::vector<double>> TopologyAllocate::foreseen_scores(const Job& job, const SubJob& sub_job, const TaskHeap& tasks,
                                                                     std::span<const HyperNodeId> row) {
  const bool only_one = clean_ && row.size() == 1;
  if (!only_one && !foreseeable(job, sub_job, tasks)) return std::nullopt;
  return session_.hyper_node_scores(&sub_job, row);
}

// A job that is one gang is at most as good in a domain as it is in the best of the domains that it might go to within.
std::optional<std::vector<double>> TopologyAllocate::foreseen_scores(const Job& job, const JobWorksheet& worksheet,
                                                                     std::span<const HyperNodeId> row) {
  if (clean_ && row.size() == 1) return std::vector<double>{0};
  if (job.sub_jobs->has_policies() || worksheet.sheets().size() != 1) return std::nullopt;
  const auto& sheet = worksheet.sheets().front();
  const auto& sub_job = (*job.sub_jobs)[sheet.sub_job];
  if (sub_job.nominated || !foreseeable(job, sub_job, sheet.tasks)) return std::nullopt;
  std::vector<double> bounds;
  for (const auto domain : row) {
    auto bound = -std::numeric_limits<double>::infinity();
    for (const auto& inner : session_.gradients(job, &sub_job, domain, Purpose::kAllocate)) {
      const auto scores = session_.hyper_node_scores(&sub_job, inner);
      bound = std::max(bound, *std::max_element(scores.begin(), scores.end()));
    }
    bounds.push_back(bound);
  }
  return bounds;
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
