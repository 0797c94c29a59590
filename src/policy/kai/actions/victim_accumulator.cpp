#include "policy/kai/actions/victim_accumulator.h"

#include <algorithm>
#include <functional>

#include "policy/kai/actions/eviction_unit.h"
#include "policy/kai/actions/packing.h"
#include "policy/kai/gpu_rooms.h"
#include "policy/kai/job_clone.h"
#include "policy/kai/kube_rules.h"

namespace muster::kai {

namespace {

// How often a need goes into a room.
double slots_in(double room, double need) {
  constexpr double kMany = 1e6;  // beyond this it makes no difference how it is rounded
  if (room >= kMany * need) return kMany;
  double slots = 0;
  for (; room >= need; room -= need) ++slots;
  return slots;
}

}  // namespace

double VictimAccumulator::gpus_of(const Session& session, PodId pod) { return session.cluster().task(pod).gpu.quota(); }

VictimAccumulator::VictimAccumulator(Session& session, const SearchTask& search)
    : session_(session),
      search_(search),
      line_(session, {JobLine::Kind::kVictims, std::nullopt}),
      domains_(session, *search.preemptor) {
  auto& cluster = session.cluster();
  const auto is_there = [&cluster](PodId pod) {
    const auto& task = cluster.task(pod);
    return kAlive.contains(task.status) && (!task.node || cluster.known(task.node));
  };
  const auto is_victim = [this, is_there](Job& job) {
    bool any = false;
    job.for_each_pod([&](PodId pod) { any = any || is_there(pod); });
    return any && search_.is_victim(job);
  };
  if (search.counts_victims) {
    for (const auto id : cluster.listed_jobs())
      if (auto& job = cluster.job(id); job.queue && is_victim(job)) line_.push(job);
  } else {
    const auto own = search.preemptor->queue;
    line_.follow(is_victim, [&search, own](QueueId queue) {
      return search.queues == VictimQueues::kAll || (queue == own) == (search.queues == VictimQueues::kOwn);
    });
  }
  capacity_ = session.gpu_rooms().all();
  is_feasible_.assign(session.books().node_count(), 0);
  for (const auto node : *search.feasible) is_feasible_[node] = 1;
  for (const auto pod : search.pending) {
    needs_.push_back(gpus_of(session, pod));
    if (session.books().shape_of(pod).constrains_nodes()) choosy_.push_back(pod);
  }
  std::sort(needs_.begin(), needs_.end(), std::greater<>());
  if (!needs_.empty() && needs_.front() > 0 && needs_.front() == needs_.back()) {
    slot_ = needs_.front();
    slots_ = session.gpu_rooms().slots(slot_, slots_in);
  }
  for (const auto& batch : *search.recorded)
    for (const auto pod : batch.tasks) {
      if (recorded_.insert(pod).second)
        free_room(pod);
      else
        repeats_ = true;
    }
}

void VictimAccumulator::free_room(PodId pod) {
  const auto& task = session_.cluster().task(pod);
  if (!session_.cluster().known(task.node)) return;
  if (slot_ > 0) slots_ -= slots_in(capacity_[task.node], slot_);
  capacity_[task.node] += task.accepted[Share::kGpu];
  if (slot_ > 0) slots_ += slots_in(capacity_[task.node], slot_);
  is_feasible_[task.node] = 1;
  domains_.free_room(pod);
}

// A unit with a task that was recorded already is not taken; the rest of its job comes again.
bool VictimAccumulator::add_next() {
  auto& job = line_.pop();
  const auto unit = eviction_unit(session_, job);
  const auto is_recorded = [&](PodId pod) { return recorded_.contains(pod); };
  const bool known = std::any_of(unit.begin(), unit.end(), is_recorded);
  std::vector<PodId> rest;
  std::size_t active = 0;
  job.for_each_pod([&](PodId pod) {
    active += kActiveAllocated.contains(session_.cluster().task(pod).status) ? 1 : 0;
    if (known ? !is_recorded(pod) : std::find(unit.begin(), unit.end(), pod) == unit.end()) rest.push_back(pod);
  });
  if (known ? !rest.empty() : unit.size() < active) {
    clones_.push_back(clone_with(session_.cluster(), job, rest));
    line_.push(clones_.back());
  }
  if (known) return false;
  potential_.push_back({job.id, unit});
  for (const auto pod : unit) free_room(pod);
  return true;
}

bool VictimAccumulator::advance() {
  while (!line_.empty())
    if (add_next() && is_conceivable()) return true;
  return false;
}

bool VictimAccumulator::is_conceivable() const { return nodes_match() && domains_.suffices() && gpus_suffice(); }

bool VictimAccumulator::nodes_match() const {
  const auto& filter = session_.cluster().kube_rules().node_affinity;
  const auto& nodes = session_.cluster().nodes_by_name();
  return std::all_of(choosy_.begin(), choosy_.end(), [&](PodId pod) {
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) { return is_feasible_[node] && filter.check(pod, node).ok(); });
  });
}

// The waiting tasks, largest first, on as many nodes with the most room.
bool VictimAccumulator::gpus_suffice() const {
  if (repeats_ || needs_.empty() || needs_.front() == 0) return true;
  // When all need the same it does not matter which of them goes where.
  if (slot_ > 0) return slots_ >= static_cast<double>(needs_.size());
  std::vector<double> rooms;
  for (const auto node : session_.cluster().nodes_by_name()) rooms.push_back(capacity_[node]);
  const auto count = std::min(rooms.size(), needs_.size());
  std::partial_sort(rooms.begin(), rooms.begin() + static_cast<std::ptrdiff_t>(count), rooms.end(), std::greater<>());
  rooms.resize(count);
  return packs(needs_, rooms);
}

}  // namespace muster::kai
