#include "policy/kai/actions/job_solver.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <map>

#include "policy/kai/actions/job_line.h"
#include "policy/kai/actions/job_placer.h"
#include "policy/kai/actions/slot_odds.h"
#include "policy/kai/actions/spare_victims.h"
#include "policy/kai/actions/victim_accumulator.h"
#include "policy/kai/gpu_rooms.h"
#include "policy/kai/job_clone.h"

namespace muster::kai {
namespace {

// What makes a scenario that one: whom it is for and who leaves, recorded or not.
std::vector<PodId> fingerprint(const Scenario& scenario) {
  auto print = scenario.pending;
  std::sort(print.begin(), print.end());
  for (const auto* batches : {&scenario.recorded, &scenario.potential}) {
    print.push_back(PodId());
    const auto from = static_cast<std::ptrdiff_t>(print.size());
    for (const auto& batch : *batches) print.insert(print.end(), batch.tasks.begin(), batch.tasks.end());
    std::sort(print.begin() + from, print.end());
  }
  return print;
}

std::uint32_t active_in(const Job& job, SubGroupId part) {
  return job.part(part).is_pod_set ? job.part(part).active_allocated : job.count(kActiveAllocated);
}

// The batches that later attempts take for granted, in the fewest that tell of everybody who left or moved. Who was asked twice
// leaves in any case, because only one of the times can be taken back. A batch names everybody once, whoever was in it twice.
std::vector<VictimBatch> left_or_moved(const Cluster& cluster, const Scenario& scenario) {
  boost::unordered_flat_map<PodId, std::size_t> times;
  for (const auto* batches : {&scenario.recorded, &scenario.potential})
    for (const auto& batch : *batches)
      for (const auto pod : batch.tasks) ++times[pod];
  boost::unordered_flat_set<PodId> told;
  const auto is_news = [&](PodId pod) {
    const auto status = cluster.task(pod).status;
    return !told.contains(pod) && (times[pod] > 1 || status == Status::kReleasing || status == Status::kPipelined);
  };
  std::vector<VictimBatch> victims;
  for (const auto* batches : {&scenario.recorded, &scenario.potential})
    for (const auto& batch : *batches) {
      if (std::none_of(batch.tasks.begin(), batch.tasks.end(), is_news)) continue;
      auto& once = victims.emplace_back(VictimBatch{batch.job, {}}).tasks;
      boost::unordered_flat_set<PodId> named;
      std::copy_if(batch.tasks.begin(), batch.tasks.end(), std::back_inserter(once),
                   [&](PodId pod) { return named.insert(pod).second; });
      told.insert(once.begin(), once.end());
    }
  return victims;
}

// Where these tasks were placed.
std::vector<NodeId> nodes_of(const Session& session, const std::vector<PodId>& tasks) {
  std::vector<NodeId> nodes;
  for (const auto pod : tasks) nodes.push_back(session.cluster().task(pod).node);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

// Those who leave these nodes before the others, who are the first to be spared.
std::vector<VictimBatch> in_the_way_first(const Session& session, std::vector<VictimBatch> victims,
                                          const std::vector<NodeId>& nodes) {
  std::stable_partition(victims.begin(), victims.end(), [&](const VictimBatch& batch) {
    return std::any_of(batch.tasks.begin(), batch.tasks.end(), [&](PodId pod) {
      const auto& places = session.cluster().task(pod).places;
      return std::any_of(places.begin(), places.end(), [&](const Task::Place& place) {
        return place.status != Status::kPipelined && std::binary_search(nodes.begin(), nodes.end(), place.node);
      });
    });
  });
  return victims;
}

}  // namespace

std::optional<Statement> JobSolver::solve() {
  const auto tasks = next_tasks(session_, job_, Mode::kSimulation);
  if (tasks.empty()) return std::nullopt;
  if (!session_.keeps(Quirk::kNeedlessVictims) && !is_conceivable(tasks)) return std::nullopt;
  for (auto* plugin : session_.chain(Point::kScenarioGenerator))
    if (auto statement = solve_by(*plugin, tasks)) return statement;
  return std::nullopt;
}

std::optional<Statement> JobSolver::solve_with(const std::vector<VictimBatch>& victims) {
  const auto tasks = next_tasks(session_, job_, Mode::kSimulation);
  if (tasks.empty()) return std::nullopt;
  const auto active_before = job_.count(kActiveUsed);
  auto partial = partial_with(tasks);
  const Scenario scenario{&partial, tasks, {}, victims};
  auto in_line = simulate(scenario);
  auto solution = in_line ? std::move(in_line) : simulate(scenario, First::kJob);
  if (!solution) return std::nullopt;
  if (job_.count(kActiveUsed) <= active_before || !reached_minimums()) {
    solution->statement.discard();
    return std::nullopt;
  }
  auto fewest = with_fewest(std::move(*solution), tasks);
  if (!fewest) return std::nullopt;
  return std::move(fewest->statement);
}

// Whether there could be room for all of the tasks if everybody left who may. Where not, it is of no use to find out for how many
// of them room could be made, as nothing would come of it. The original finds out, and its attempts leave traces.
bool JobSolver::is_conceivable(const std::vector<PodId>& tasks) {
  auto partial = partial_with(tasks);
  auto feasible = feasible_nodes();
  sort_by_name(feasible);
  const std::vector<VictimBatch> none;
  const SearchTask search{
      &partial, tasks, &none, &feasible, nullptr, rules_.make_victim_filter(), rules_.queues, rules_.counts_victims};
  VictimAccumulator victims(session_, search);
  return victims.is_conceivable() || victims.advance();
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
  // A statement that does not do in the end is left as it is by the original: neither carried out nor taken back.
  if (job_.count(kActiveUsed) <= active_before || !reached_minimums()) {
    if (!session_.keeps(Quirk::kForgottenPlans)) solution->statement.discard();
    return std::nullopt;
  }
  if (session_.keeps(Quirk::kNeedlessVictims)) return std::move(solution->statement);
  auto fewest = with_fewest(std::move(*solution), tasks);
  if (!fewest) return std::nullopt;
  return std::move(fewest->statement);
}

// The same with only those who have to go: first batch by batch, beginning with those who leave nodes that the job does not go to,
// then task by task of jobs that find another place for some, because they need not leave together. Where those who go would only
// take their places back, the job has its turn before them.
std::optional<JobSolver::Solution> JobSolver::with_fewest(Solution solution, const std::vector<PodId>& tasks) {
  const auto active = job_.count(kActiveUsed);
  const auto nodes = nodes_of(session_, tasks);
  solution.statement.discard();
  auto partial = partial_with(tasks);
  SlotOdds odds(session_, tasks, {}, SlotOdds::Traces::kDoNotMatter);
  const auto simulate_with = [&](const std::vector<VictimBatch>& victims) -> std::optional<Solution> {
    const auto simulate_first = [&](First first) -> std::optional<Solution> {
      auto found = simulate(Scenario{&partial, tasks, {}, victims}, first);
      if (!found || (job_.count(kActiveUsed) >= active && reached_minimums())) return found;
      found->statement.discard();
      return std::nullopt;
    };
    auto found = simulate_first(First::kInLine);
    return found || came_first_ ? std::move(found) : simulate_first(First::kJob);
  };
  const auto answer = [&](const std::vector<VictimBatch>& victims) {
    if (odds.surely_fails(victims)) return Answer::kObviouslyNot;
    auto found = simulate_with(victims);
    if (!found) return Answer::kNo;
    found->statement.discard();
    return Answer::kYes;
  };
  // Those who are needed in any case are not asked about.
  const auto spare = [&](const std::vector<VictimBatch>& victims) {
    const auto needed = odds.needed(victims);
    std::vector<VictimBatch> go, others;
    for (std::size_t i = 0; i < victims.size(); ++i) (needed[i] != 0 ? go : others).push_back(victims[i]);
    const auto left = spare_victims(std::move(others), [&](const std::vector<VictimBatch>& rest) {
      auto all = go;
      all.insert(all.end(), rest.begin(), rest.end());
      return answer(all);
    });
    go.insert(go.end(), left.begin(), left.end());
    return go;
  };
  const auto fewest = spare(in_the_way_first(session_, std::move(solution.asked), nodes));
  auto found = simulate_with(fewest);
  if (!found) return std::nullopt;
  const auto apart = one_by_one(fewest, nodes_of(session_, tasks));
  if (apart.size() == fewest.size()) return found;
  found->statement.discard();
  if (auto finer = simulate_with(spare(apart))) return finer;
  return simulate_with(fewest);
}

// Jobs of which some tasks moved, task by task; those in the way first.
std::vector<VictimBatch> JobSolver::one_by_one(const std::vector<VictimBatch>& victims, const std::vector<NodeId>& nodes) const {
  const auto moved = [&](PodId pod) { return session_.cluster().task(pod).status != Status::kReleasing; };
  boost::unordered_flat_set<GroupId> moving;
  for (const auto& batch : victims)
    if (std::any_of(batch.tasks.begin(), batch.tasks.end(), moved)) moving.insert(batch.job);
  std::vector<VictimBatch> apart;
  for (const auto& batch : victims) {
    if (!moving.contains(batch.job)) {
      apart.push_back(batch);
      continue;
    }
    for (const auto pod : batch.tasks) apart.push_back({batch.job, {pod}});
  }
  return apart.size() == victims.size() ? apart : in_the_way_first(session_, std::move(apart), nodes);
}

bool JobSolver::reached_minimums() const {
  const bool satisfied = job_.groups.satisfied(job_.groups.root());
  if (!session_.keeps(Quirk::kHalfGangs) && !satisfied) return false;  // those that leave are no part of it
  if (!session_.keeps(Quirk::kIgnoredMinSubGroup) && satisfied) return true;
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
  return session_.gpu_rooms().with_any();
}

void JobSolver::sort_by_name(NodeSet& nodes) const {
  const auto& cluster = session_.cluster();
  std::sort(nodes.begin(), nodes.end(), [&](NodeId l, NodeId r) { return cluster.name_rank(l) < cluster.name_rank(r); });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

// The job as far as it has places, with these tasks.
Job JobSolver::partial_with(const std::vector<PodId>& tasks) const {
  const auto& cluster = session_.cluster();
  std::vector<PodId> present;
  job_.for_each_pod([&](PodId pod) {
    if (kActiveUsed.contains(cluster.task(pod).status)) present.push_back(pod);
  });
  present.insert(present.end(), tasks.begin(), tasks.end());
  return partial_job(cluster, job_, present);
}

std::optional<JobSolver::Solution> JobSolver::probe(Plugin& generator_of, const std::vector<PodId>& tasks,
                                                    const std::vector<VictimBatch>& recorded) {
  const auto& cluster = session_.cluster();
  auto partial = partial_with(tasks);
  auto feasible = feasible_nodes();
  for (const auto& batch : recorded)
    for (const auto pod : batch.tasks) feasible.push_back(cluster.task(pod).node);
  sort_by_name(feasible);
  SlotOdds odds(session_, tasks, recorded);
  const SearchTask search{
      &partial, tasks, &recorded, &feasible, &odds, rules_.make_victim_filter(), rules_.queues, rules_.counts_victims};
  const auto generator = generator_of.make_generator(search);
  while (const auto* scenario = generator->next()) {
    if (odds.surely_fails(scenario->potential)) {
      ++session_.tally(rules_.action).filtered;
      continue;
    }
    auto print = fingerprint(*scenario);
    if (failed_.contains(print)) continue;
    const bool knew_next = job_.next_tasks && job_.next_request;
    const auto next = knew_next ? *job_.next_tasks : std::vector<PodId>();
    const auto request = knew_next ? *job_.next_request : Quantities();
    if (auto solution = simulate(*scenario)) return solution;
    // Everything is as it was before, also what comes next.
    if (knew_next) {
      job_.next_tasks = next;
      job_.next_request = request;
    }
    failed_.insert(std::move(print));
  }
  return std::nullopt;
}

std::optional<JobSolver::Solution> JobSolver::simulate(const Scenario& scenario, First first) {
  auto& cluster = session_.cluster();
  came_first_ = true;
  if (session_.keeps(Quirk::kNeedlessVictims) && scenario.recorded.empty() && scenario.potential.empty()) return std::nullopt;
  ++session_.tally(rules_.action).simulated;
  Statement statement(session_);
  auto nodes = feasible_nodes();
  std::map<GroupId, std::vector<SubGroupId>> complete;
  if (!session_.keeps(Quirk::kHalfGangs))
    for (const auto& victim : scenario.victims()) complete[victim.job] = complete_parts(cluster.job(victim.job));
  for (const auto* batches : {&scenario.recorded, &scenario.potential})
    for (const auto& batch : *batches)
      for (const auto pod : batch.tasks) {
        const auto node = cluster.task(pod).node;
        const bool own = !rules_.own_queue_action.empty() && cluster.job(batch.job).queue == job_.queue;
        if (!statement.evict(pod, own ? rules_.own_queue_action : rules_.action, {job_.id, PodId()})) {
          statement.discard();
          return std::nullopt;
        }
        nodes.push_back(node);
      }
  sort_by_name(nodes);
  // Whole, or not there at all.
  const auto is_whole = [&](const auto& known) {
    const auto& job = cluster.job(known.first);
    return std::all_of(known.second.begin(), known.second.end(),
                       [&](SubGroupId part) { return job.groups.satisfied(part) || active_in(job, part) == 0; });
  };
  if (!place_all(statement, scenario, nodes, first) || !std::all_of(complete.begin(), complete.end(), is_whole) ||
      !rules_.is_valid(scenario)) {
    statement.discard();
    return std::nullopt;
  }
  auto victims = left_or_moved(cluster, scenario);
  auto asked = scenario.recorded;
  asked.insert(asked.end(), scenario.potential.begin(), scenario.potential.end());
  return Solution{std::move(statement), std::move(victims), std::move(asked)};
}

// The job as a whole and its PodSets, as far as they have what they need.
std::vector<SubGroupId> JobSolver::complete_parts(const Job& job) const {
  std::vector<SubGroupId> parts;
  if (job.groups.satisfied(job.groups.root())) parts.push_back(job.groups.root());
  for (const auto part : job.groups.pod_sets())
    if (job.groups.satisfied(part)) parts.push_back(part);
  return parts;
}

// False: the job itself finds no place.
bool JobSolver::place_one(Statement& statement, const Scenario& scenario, Job& job, const NodeSet& nodes, bool& placed) {
  const bool is_preemptor = &job == scenario.preemptor;
  const auto mark = statement.checkpoint();
  if (JobPlacer(session_, statement, Mode::kSimulation).place(job, nodes)) {
    placed |= is_preemptor;
    return true;
  }
  if (is_preemptor) return false;
  statement.rollback(mark);
  return true;
}

// The job and those that were evicted for it, in the order in which jobs have their turn: a victim may take its place back first.
// Other jobs that wait are in the line as well, because queues are compared by them; as soon as all that is left is of one queue,
// they no longer matter.
bool JobSolver::place_all(Statement& statement, const Scenario& scenario, const NodeSet& nodes, First first) {
  auto& cluster = session_.cluster();
  boost::unordered_flat_set<GroupId> involved;
  boost::unordered_flat_map<QueueId, std::size_t> left;  // by queue
  std::vector<Job*> jobs;
  const auto add = [&](Job& job) {
    if (!job.queue || !cluster.queues()[job.queue].is_leaf() || !involved.insert(job.id).second) return;
    jobs.push_back(&job);
    ++left[job.queue];
  };
  add(*scenario.preemptor);
  for (const auto* batches : {&scenario.recorded, &scenario.potential})
    for (const auto& batch : *batches) add(cluster.job(batch.job));
  std::sort(jobs.begin(), jobs.end(), [&](Job* l, Job* r) { return session_.job_before(*l, *r); });

  bool placed = false;
  boost::unordered_flat_set<const Job*> done;
  const auto has_turn = [&](Job& job) {
    if (done.empty()) came_first_ = &job == scenario.preemptor;
    done.insert(&job);
    if (--left[job.queue] == 0) left.erase(job.queue);
    return place_one(statement, scenario, job, nodes, placed);
  };
  if (first == First::kJob && !has_turn(*scenario.preemptor)) return false;
  if (left.size() > 1) {
    JobLine line(session_, {});
    line.follow([&](Job& job) { return !involved.contains(job.id); });
    for (auto* job : jobs)
      if (!done.contains(job)) line.push(*job);
    while (left.size() > 1) {
      auto& job = line.pop();
      if (involved.contains(job.id) && !has_turn(job)) return false;
    }
  }
  for (auto* job : jobs)
    if (!done.contains(job) && !has_turn(*job)) return false;
  return placed;
}

}  // namespace muster::kai
