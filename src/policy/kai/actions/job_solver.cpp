#include "policy/kai/actions/job_solver.h"

#include <algorithm>

#include "policy/kai/actions/job_line.h"
#include "policy/kai/actions/job_placer.h"
#include "policy/kai/gpu_capacity.h"
#include "policy/kai/job_clone.h"

namespace muster::kai {
namespace {

// What makes a scenario that one: whom it is for and who leaves. The two lists cannot be mixed up, because nobody is in both.
std::vector<PodId> fingerprint(const Scenario& scenario) {
  std::vector<PodId> print;
  for (const auto* batches : {&scenario.recorded, &scenario.potential})
    for (const auto& batch : *batches) print.insert(print.end(), batch.tasks.begin(), batch.tasks.end());
  std::sort(print.begin(), print.end());
  auto pending = scenario.pending;
  std::sort(pending.begin(), pending.end());
  print.insert(print.end(), pending.begin(), pending.end());
  return print;
}

}  // namespace

std::optional<Statement> JobSolver::solve() {
  const auto tasks = next_tasks(session_, job_, Mode::kSimulation);
  if (tasks.empty()) return std::nullopt;
  for (auto* plugin : session_.chain(Point::kScenarioGenerator))
    if (auto statement = solve_by(*plugin, tasks)) return statement;
  return std::nullopt;
}

std::optional<Statement> JobSolver::solve_by(Plugin& generator_of, const std::vector<PodId>& tasks) {
  std::vector<VictimBatch> recorded;
  const auto works_for = [&](std::size_t count) {
    auto solution = probe(generator_of, {tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(count)}, recorded);
    if (!solution) return false;
    solution->statement.discard();
    recorded = std::move(solution->victims);
    return true;
  };
  std::size_t best = 0;
  std::size_t worst = tasks.size() + 1;  // the least that is known not to work
  for (std::size_t count = 1; best < tasks.size();) {
    if (!works_for(count)) {
      worst = count;
      break;
    }
    best = count;
    count = std::min(count * 2, tasks.size());
  }
  while (best > 0 && best + 1 < worst) {
    const auto middle = best + (worst - best) / 2;
    (works_for(middle) ? best : worst) = middle;
  }
  if (best == 0) return std::nullopt;

  const auto active_before = job_.count(kActiveUsed);
  auto solution = probe(generator_of, tasks, recorded);
  if (!solution) return std::nullopt;
  // A statement that does not do in the end is left as it is: the original neither carries it out nor takes it back.
  if (job_.count(kActiveUsed) <= active_before || !reached_minimums()) return std::nullopt;
  return std::move(solution->statement);
}

bool JobSolver::reached_minimums() const {
  const auto& sets = job_.groups.pod_sets();
  return std::all_of(sets.begin(), sets.end(),
                     [&](SubGroupId id) { return static_cast<std::int64_t>(job_.part(id).active_used) >= job_.part(id).minimum; });
}

// Nodes with GPUs to spare, or all when a task of the job needs none.
NodeSet JobSolver::feasible_nodes() const {
  const auto& cluster = session_.cluster();
  bool all = false;
  job_.for_each_pod([&](PodId pod) { all = all || !cluster.task(pod).gpu.any(); });
  if (all) return cluster.nodes_by_name();
  NodeSet nodes;
  for (const auto node : cluster.nodes_by_name())
    if (idle_gpus(cluster, node).gpus > 0 || releasing_gpus(cluster, node).gpus > 0) nodes.push_back(node);
  return nodes;
}

void JobSolver::sort_by_name(NodeSet& nodes) const {
  const auto& cluster = session_.cluster();
  std::sort(nodes.begin(), nodes.end(), [&](NodeId l, NodeId r) { return cluster.name_rank(l) < cluster.name_rank(r); });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

std::optional<JobSolver::Solution> JobSolver::probe(Plugin& generator_of, const std::vector<PodId>& tasks,
                                                    const std::vector<VictimBatch>& recorded) {
  const auto& cluster = session_.cluster();
  std::vector<PodId> present;
  job_.for_each_pod([&](PodId pod) {
    if (kActiveUsed.contains(cluster.task(pod).status)) present.push_back(pod);
  });
  present.insert(present.end(), tasks.begin(), tasks.end());
  auto partial = partial_job(cluster, job_, present);
  auto feasible = feasible_nodes();
  for (const auto& batch : recorded)
    for (const auto pod : batch.tasks) feasible.push_back(cluster.task(pod).node);
  sort_by_name(feasible);
  const SearchTask search{&partial, tasks, &recorded, &feasible, rules_.make_victim_filter()};
  const auto generator = generator_of.make_generator(search);
  while (const auto* scenario = generator->next()) {
    auto print = fingerprint(*scenario);
    if (failed_.contains(print)) continue;
    if (auto solution = simulate(*scenario)) return solution;
    failed_.insert(std::move(print));
  }
  return std::nullopt;
}

std::optional<JobSolver::Solution> JobSolver::simulate(const Scenario& scenario) {
  auto& cluster = session_.cluster();
  if (scenario.recorded.empty() && scenario.potential.empty()) return std::nullopt;
  Statement statement(session_);
  auto nodes = feasible_nodes();
  for (const auto* batches : {&scenario.recorded, &scenario.potential})
    for (const auto& batch : *batches)
      for (const auto pod : batch.tasks) {
        const auto node = cluster.task(pod).node;
        if (!statement.evict(pod, rules_.action, {job_.id, PodId()})) {
          statement.discard();
          return std::nullopt;
        }
        nodes.push_back(node);
      }
  sort_by_name(nodes);
  if (!place_all(statement, scenario, nodes) || !rules_.is_valid(scenario)) {
    statement.discard();
    return std::nullopt;
  }
  const auto is_victim = [&](PodId pod) {
    const auto status = cluster.task(pod).status;
    return status == Status::kReleasing || status == Status::kPipelined;
  };
  std::vector<VictimBatch> victims;
  for (const auto* batches : {&scenario.recorded, &scenario.potential})
    for (const auto& batch : *batches)
      if (std::any_of(batch.tasks.begin(), batch.tasks.end(), is_victim)) victims.push_back(batch);
  return Solution{std::move(statement), std::move(victims)};
}

// The job and those that were evicted for it, in the order in which jobs have their turn: a victim may take its place back first.
bool JobSolver::place_all(Statement& statement, const Scenario& scenario, const NodeSet& nodes) {
  auto& cluster = session_.cluster();
  std::set<GroupId> victims;
  for (const auto& victim : scenario.victims()) victims.insert(victim.job);
  JobLine line(session_, {});
  for (const auto id : cluster.listed_jobs()) {
    if (id == job_.id) {
      line.push(*scenario.preemptor);
      continue;
    }
    auto& job = cluster.job(id);
    if (victims.contains(id) || job.count(Status::kPending) > 0) line.push(job);
  }
  bool placed = false;
  while (!line.empty()) {
    auto& job = line.pop();
    const bool is_preemptor = &job == scenario.preemptor;
    if (!is_preemptor && !victims.contains(job.id)) continue;
    const auto mark = statement.checkpoint();
    if (JobPlacer(session_, statement, Mode::kSimulation).place(job, nodes)) {
      placed |= is_preemptor;
      continue;
    }
    if (is_preemptor) return false;
    statement.rollback(mark);
  }
  return placed;
}

}  // namespace muster::kai
