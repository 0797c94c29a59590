#include "policy/volcano/actions/topology_allocate.h"

#include <algorithm>

namespace muster::volcano {

std::optional<Statement> TopologyAllocate::place(Job& job, JobWorksheet& worksheet) {
  for (const auto& row : session_.gradients(job, HyperTree::root(), Purpose::kAllocate)) {
    std::optional<Solution> best;
    for (const auto domain : row)
      if (auto solution = try_domain(job, worksheet, domain))
        if (!best || solution->score > best->score) best = std::move(solution);
    if (!best) continue;
    auto statement = replay(best->plan);
    if (!statement) return std::nullopt;
    worksheet = std::move(best->rest);
    decisions_[job.id].domain = best->domain;
    return statement;
  }
  return std::nullopt;
}

std::optional<TopologyAllocate::Solution> TopologyAllocate::try_domain(Job& job, const JobWorksheet& worksheet,
                                                                       HyperNodeId domain) {
  if (job.notes) job.notes->forget_errors();
  auto& sub_jobs = *job.sub_jobs;
  std::vector<HyperNodeId> before;
  for (const auto& sub_job : sub_jobs.all()) before.push_back(sub_job.allocated);

  Solution solution{domain, {}, worksheet, 0};
  std::vector<Statement> statements;
  while (!solution.rest.empty()) {
    auto& sheet = solution.rest.next();
    auto placed = place_sub_job(job, sheet, domain);
    if (!placed || placed->statement.empty()) continue;
    statements.push_back(std::move(placed->statement));
    solution.score += placed->score;
    if (!sheet.tasks.empty()) solution.rest.back(sheet);
    if (session_.job_ready(job)) break;
  }
  for (std::size_t i = 0; i < before.size(); ++i) sub_jobs.all()[i].allocated = before[i];

  const bool solved = !statements.empty() && (session_.job_ready(job) || session_.job_pipelined(job));
  for (const auto& statement : statements) solution.plan.append(statement.save());
  for (auto& statement : statements) statement.discard();
  return solved ? std::optional(std::move(solution)) : std::nullopt;
}

std::optional<TopologyAllocate::Placed> TopologyAllocate::place_sub_job(Job& job, JobWorksheet::Sheet& sheet, HyperNodeId within) {
  if (sheet.tasks.empty()) return std::nullopt;
  auto& sub_job = (*job.sub_jobs)[sheet.sub_job];
  if (const auto nominated = sub_job.nominated)
    if (auto statement = placer_.place_nominated(job, &sub_job, sheet.tasks)) {
      placed_in(job, sub_job, within, nominated);
      return Placed{std::move(*statement), 0};
    }
  for (const auto& row : session_.gradients(job, &sub_job, within, Purpose::kAllocate))
    if (auto placed = place_best(job, sheet, within, row)) return placed;
  return std::nullopt;
}

std::optional<TopologyAllocate::Placed> TopologyAllocate::place_best(Job& job, JobWorksheet::Sheet& sheet, HyperNodeId within,
                                                                     const std::vector<HyperNodeId>& row) {
  struct Candidate {
    Statement::Plan plan;
    TaskHeap rest;
  };
  auto& sub_job = (*job.sub_jobs)[sheet.sub_job];
  std::vector<Candidate> candidates;
  std::vector<HyperNodeId> domains;
  for (const auto domain : row) {
    if (job.notes) job.notes->forget_errors(*job.sub_jobs, sub_job.id);
    auto rest = sheet.tasks;
    auto statement = placer_.place(job, &sub_job, rest, domain).statement;
    if (!statement || statement->empty()) continue;
    candidates.push_back({statement->save(), std::move(rest)});
    domains.push_back(domain);
    statement->discard();
  }
  if (candidates.empty()) return std::nullopt;
  const auto scores = session_.hyper_node_scores(&sub_job, domains);
  const auto best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  auto statement = replay(candidates[best].plan);
  if (!statement) return std::nullopt;
  sheet.tasks = std::move(candidates[best].rest);
  placed_in(job, sub_job, within, domains[best]);
  return Placed{std::move(*statement), scores[best]};
}

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

// What could not be done again in full stays half done until the end of the cycle, as in the original.
std::optional<Statement> TopologyAllocate::replay(const Statement::Plan& plan) {
  Statement statement(session_);
  if (statement.replay(plan)) return statement;
  session_.keep(std::move(statement));
  return std::nullopt;
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
