#include "policy/kai/actions/job_placer.h"

#include <algorithm>

#include "policy/kai/actions/node_ranking.h"
#include "policy/kai/node_lacks.h"
#include "policy/kai/status_text.h"

namespace muster::kai {
namespace {

bool belongs(const Job& job, SubGroupId pod_set, SubGroupId part) {
  for (auto at = pod_set; at; at = job.part(at).parent)
    if (at == part) return true;
  return false;
}

}  // namespace

bool JobPlacer::place(Job& job, const NodeSet& nodes) {
  session_.pre_job_allocation(job);
  const auto tasks = next_tasks(session_, job, mode_);
  if (tasks.empty()) return false;
  if (const auto refusal = session_.job_over_capacity(job, tasks)) {
    if (mode_ == Mode::kReal) note_shortage(job, *refusal);
    return false;
  }
  return place_part(job, job.groups.root(), tasks, nodes);
}

bool JobPlacer::place_part(Job& job, SubGroupId part, const Tasks& tasks, const NodeSet& nodes) {
  if (tasks.empty()) return true;
  const auto node_sets = session_.subset_nodes(job, part, tasks, nodes);
  if (!node_sets) return false;
  const auto place_in = [&](const NodeSet& node_set) {
    const auto mark = statement_.checkpoint();
    if (job.part(part).is_pod_set ? place_tasks(job, tasks, node_set) : place_members(job, part, tasks, node_set)) return true;
    statement_.rollback(mark);
    return false;
  };
  return *node_sets ? std::any_of((*node_sets)->begin(), (*node_sets)->end(), place_in) : place_in(nodes);
}

bool JobPlacer::place_members(Job& job, SubGroupId set, const Tasks& tasks, const NodeSet& nodes) {
  for (const auto member : session_.ordered_members(job, set)) {
    Tasks own;
    std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(own),
                 [&](PodId pod) { return belongs(job, session_.cluster().task(pod).pod_set, member); });
    if (!place_part(job, member, own, nodes)) return false;
  }
  return true;
}

bool JobPlacer::place_tasks(Job& job, const Tasks& tasks, const NodeSet& nodes) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (places_ != nullptr ? place_task(tasks[i], own_place(tasks[i], nodes)) : place_task(tasks[i], nodes)) continue;
    note_failure(job, tasks[i], i);
    return false;
  }
  return true;
}

// Nothing, or one node.
NodeSet JobPlacer::own_place(PodId pod, const NodeSet& nodes) const {
  const auto place = places_->find(pod);
  if (place == places_->end() || std::find(nodes.begin(), nodes.end(), place->second) == nodes.end()) return {};
  return {place->second};
}

bool JobPlacer::place_task(PodId pod, const NodeSet& nodes) {
  ++session_.work().searches;
  if (const auto refusal = session_.pre_predicate(pod)) {
    if (mode_ == Mode::kReal) session_.fit_errors().refuse(pod, session_.tell_pre_predicate(pod, *refusal));
    return false;
  }
  FitTally tally;
  const bool found = find_place(pod, nodes, tally);
  session_.fit_errors().add(pod, tally);
  return found;
}

// Of a task that finds a node, the tally has those that refused it before, and not those that had no room: they are asked what they
// lack only when it is clear that there is no other.
bool JobPlacer::find_place(PodId pod, const NodeSet& nodes, FitTally& tally) {
  const bool tells = mode_ == Mode::kReal;
  NodeSet full;
  NodeRanking ranking(session_, pod, nodes);
  while (const auto node = ranking.next()) {
    if (!session_.fits_later(pod, node)) {
      if (tells) full.push_back(node);
      continue;
    }
    if (const auto status = session_.predicate(pod, node); !status.ok()) {
      if (tells) session_.tell_predicate(pod, node, status, tally);
      continue;
    }
    if (place_on(pod, node)) return true;
  }
  if (!tells) return false;
  for (const auto node : full) tell_lacks(session_, pod, node, tally);
  ranking.tell_left_out(tally);
  return false;
}

bool JobPlacer::place_on(PodId pod, NodeId node) {
  session_.cluster().task(pod).numa_placement = session_.numa_placement(pod, node);
  if (session_.cluster().task(pod).gpu.shared()) return place_shared(pod, node);
  if (mode_ == Mode::kReal && session_.fits_now(pod, node)) {
    statement_.allocate(pod, node);
    return true;
  }
  return statement_.pipeline(pod, node, mode_ == Mode::kReal ? Statement::IfThere::kUpdate : Statement::IfThere::kUnevict);
}

bool JobPlacer::place_shared(PodId pod, NodeId node) {
  auto& task = session_.cluster().task(pod);
  const auto choice = choose_gpus(session_, pod, node, mode_);
  if (!choice) return false;
  const auto before = task.groups;
  task.groups = choice->groups;
  if (mode_ == Mode::kReal && !choice->waits) {
    statement_.allocate(pod, node);
    return true;
  }
  const bool done = statement_.pipeline(pod, node, Statement::IfThere::kUnevict);
  if (!done) task.groups = before;
  return done;
}

// Also in simulations: a job that is asked to leave is told why it would find no other place.
void JobPlacer::note_failure(Job& job, PodId pod, std::size_t placed) {
  if (job.is_trial) return;
  const auto& part = job.part(session_.cluster().task(pod).pod_set);
  const auto name = session_.books().pod_key(pod);
  auto told = pod_error_text(session_, job, pod, placed);
  if (!is_short_of_minimum(job, part))
    return job.fail(FitReason::kPodSchedulingErrors, "no node has room for pod " + name, std::move(told));
  const auto whose = part.name == SubGroups::kDefault ? "" : " of subgroup " + part.name;
  job.fail(FitReason::kPodSchedulingErrors,
           "room was found for " + std::to_string(placed) + (placed == 1 ? " pod" : " pods") + whose + " and not for pod " + name +
               "; " + std::to_string(part.minimum) + " have to start together",
           std::move(told));
}

void JobPlacer::note_shortage(Job& job, const CapacityRefusal& refusal) {
  auto [message, shortage] = session_.tell_capacity(job, refusal);
  job.fail(refusal.reason, std::move(message), shortage_text(session_.cluster().queues(), refusal.reason, *shortage));
  job.errors.back().queue = std::move(shortage);
}

std::optional<GpuChoice> choose_gpus(Session& session, PodId pod, NodeId node, Mode mode) {
  auto& cluster = session.cluster();
  const auto& info = cluster.node_info(node);
  const auto& gpu = cluster.task(pod).gpu;
  struct Candidate {
    double score;
    const GpuGroup* group;  // nullptr: a whole GPU
  };
  std::vector<Candidate> candidates;
  for (const auto& group : info.groups)
    if (GpuSharing::fits(info, group, gpu)) candidates.push_back({session.gpu_score(pod, node, &group), &group});
  const auto& ledgers = session.books().ledgers();
  const auto r = cluster.gpu().index();
  const auto idle = ledgers.idle[r][node.index()];
  const auto releasing = ledgers.releasing[r][node.index()] - ledgers.pipelined[r][node.index()];
  if (idle > 0 || releasing > 0)
    for (auto whole = std::min(idle / kWholeGpu + releasing / kWholeGpu, gpu.devices); whole > 0; --whole)
      candidates.push_back({session.gpu_score(pod, node, nullptr), nullptr});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& l, const Candidate& r2) { return l.score > r2.score; });

  GpuChoice choice;
  for (const auto& candidate : candidates) {
    if (candidate.group == nullptr) {
      choice.waits |= mode == Mode::kSimulation || !session.fits_now(pod, node);
      choice.groups.push_back(SymbolId());
      choice.opens_new = true;
    } else {
      choice.waits |= !GpuSharing::fits_now(info, *candidate.group, gpu) || !session.fits_now(pod, node);
      choice.groups.push_back(candidate.group->id);
    }
    if (static_cast<std::int64_t>(choice.groups.size()) != gpu.devices) continue;
    for (auto& group : choice.groups)
      if (!group) group = session.new_gpu_group();
    return choice;
  }
  return std::nullopt;
}

}  // namespace muster::kai
