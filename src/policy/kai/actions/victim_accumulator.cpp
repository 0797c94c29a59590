#include "policy/kai/actions/victim_accumulator.h"

#include <algorithm>
#include <functional>

#include "policy/kai/actions/eviction_unit.h"
#include "policy/kai/gpu_rooms.h"
#include "policy/kai/job_clone.h"
#include "policy/kai/kube_rules.h"
#include "policy/kai/topology_tree.h"

namespace muster::kai {
namespace {

// Whether needs go into rooms one by one, both largest first, each into the first room that takes it.
bool packs(const std::vector<double>& needs, const std::vector<double>& rooms) {
  auto left = rooms;
  for (const auto need : needs) {
    if (need == 0) return true;
    bool placed = false;
    for (std::size_t i = 0; i < rooms.size() && rooms[i] >= need && !placed; ++i)
      if (left[i] >= need) left[i] -= need, placed = true;
    if (!placed) return false;
  }
  return true;
}

// How often a need goes into a room.
std::size_t slots_in(double room, double need) {
  std::size_t slots = 0;
  for (; room >= need; room -= need) ++slots;
  return slots;
}

}  // namespace

double VictimAccumulator::gpus_of(const Session& session, PodId pod) { return session.cluster().task(pod).gpu.gpus(); }

VictimAccumulator::VictimAccumulator(Session& session, const SearchTask& search)
    : session_(session), search_(search), line_(session, {JobLine::Kind::kVictims, std::nullopt}) {
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
    line_.follow(is_victim);
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
    for (const auto gpus : capacity_) slots_ += slots_in(gpus, slot_);
  }
  watch_domains(search.preemptor->groups.root());
  for (const auto& batch : *search.recorded)
    for (const auto pod : batch.tasks) {
      recorded_.insert(pod);
      free_room(pod);
    }
}

void VictimAccumulator::free_room(PodId pod) {
  const auto& task = session_.cluster().task(pod);
  if (!session_.cluster().known(task.node)) return;
  const auto& info = session_.cluster().node_info(task.node);
  if (slot_ > 0) slots_ -= slots_in(capacity_[task.node], slot_);
  capacity_[task.node] += kai::gpus_of(info.portion_of(task.gpu), task.gpu.devices);
  if (slot_ > 0) slots_ += slots_in(capacity_[task.node], slot_);
  is_feasible_[task.node] = 1;
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

bool VictimAccumulator::is_conceivable() const { return nodes_match() && domains_suffice() && gpus_suffice(); }

bool VictimAccumulator::nodes_match() const {
  const auto& filter = session_.cluster().kube_rules().node_affinity;
  const auto& nodes = session_.cluster().nodes_by_name();
  return std::all_of(choosy_.begin(), choosy_.end(), [&](PodId pod) {
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) { return is_feasible_[node] && filter.check(pod, node).ok(); });
  });
}

// What sets of parts require counts all their pods, also those that run already.
void VictimAccumulator::watch_domains(SubGroupId set) {
  const auto& cluster = session_.cluster();
  const auto& job = *search_.preemptor;
  const auto& part = job.part(set);
  if (part.is_pod_set) return;
  for (const auto member : part.children) watch_domains(member);
  const auto& [topology, required, preferred] = part.constraint;
  const auto found = cluster.topologies().find(topology);
  if (required.empty() || found == cluster.topologies().end()) return;
  const auto [entry, fresh] = levels_.try_emplace({topology, required});
  auto& level = entry->second;
  if (fresh) {
    const TopologyTree tree(found->second, session_.books(), cluster.nodes_by_name());
    if (const auto depth = tree.find_level(required); depth != 0)
      for (const auto id : tree.at_level(tree.root(), depth)) level.domains.push_back(tree[id].nodes);
  }
  double need = 0;
  job.for_each_pod([&](PodId pod) {
    for (auto at = cluster.task(pod).pod_set; at; at = job.part(at).parent)
      if (at == set) need += gpus_of(session_, pod);
  });
  level.needs.push_back(need);
}

bool VictimAccumulator::domains_suffice() const {
  return std::all_of(levels_.begin(), levels_.end(), [&](const auto& entry) {
    std::vector<double> rooms;
    for (const auto& nodes : entry.second.domains) {
      rooms.push_back(0);
      for (const auto node : nodes) rooms.back() += capacity_[node];
    }
    auto needs = entry.second.needs;
    std::sort(needs.begin(), needs.end(), std::greater<>());
    std::sort(rooms.begin(), rooms.end(), std::greater<>());
    return packs(needs, rooms);
  });
}

// The waiting tasks, largest first, on as many nodes with the most room.
bool VictimAccumulator::gpus_suffice() const {
  if (needs_.empty() || needs_.front() == 0) return true;
  // When all need the same it does not matter which of them goes where.
  if (slot_ > 0) return slots_ >= needs_.size();
  std::vector<double> rooms;
  for (const auto node : session_.cluster().nodes_by_name()) rooms.push_back(capacity_[node]);
  const auto count = std::min(rooms.size(), needs_.size());
  std::partial_sort(rooms.begin(), rooms.begin() + static_cast<std::ptrdiff_t>(count), rooms.end(), std::greater<>());
  rooms.resize(count);
  return packs(needs_, rooms);
}

}  // namespace muster::kai
