// The part of the cluster that knows where pods are: accounts them on nodes, and derives from what the outside says where they
// belong.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/assert.h"
#include "policy/kai/cluster.h"

namespace muster::kai {

void Cluster::accept(PodId pod, NodeId node) {
  auto& task = tasks_[pod];
  auto sums = request_sums(pod);
  const auto& info = node_infos_[node];
  const auto gpus =
      task.gpu.shared() ? gpus_of(info.portion_of(task.gpu), task.gpu.devices) + task.gpu.mig_quota : task.gpu.quota();
  sums.gpu_hundredths = std::llround(gpus * 100);
  sums.gpu_mib = 0;
  const bool counted = task.pod_set && kQuotaAllocated.contains(task.status);
  if (counted) watch_.note(books_.pod(pod).group);
  if (counted) job_of(pod).held.add(task.accepted_sums, -1);
  task.accepted_sums = sums;
  task.accepted = quantities_of(books_.shape_of(pod).request, gpus);
  if (counted) job_of(pod).held.add(task.accepted_sums, +1);
}

void Cluster::place(PodId pod, NodeId node, Status status) {
  auto& task = tasks_[pod];
  accept(pod, node);
  const bool in_books = !books_.pod(pod).accounted_on;
  task.places.push_back({node, status, task.groups, task.numa_placement, in_books, task.devices, task.is_virtual});
  if (storage_.active()) storage_.add(pod, node, status, task.is_virtual);
  if (in_books)
    books_.account(pod, node, state_of(status));
  else
    books_.charge(node, books_.pod(pod).shape, state_of(status));
  if (task.devices) device_refs_.add(node, node_infos_[node], *task.devices, gpus_charged(task), status);
  if (task.gpu.shared()) sharing_.add(node, node_infos_[node], task.gpu, task.groups, status);
  if (!books_.pod(pod).present_on) books_.arrive(pod, node);
}

void Cluster::unplace(PodId pod, NodeId node) {
  auto* held = tasks_[pod].place_on(node);
  MUSTER_DCHECK(held != nullptr);
  give_up(pod, *held);
}

void Cluster::give_up(PodId pod, Task::Place& held) {
  auto& task = tasks_[pod];
  const auto node = held.node;
  if (held.in_books)
    books_.unaccount(pod);
  else
    books_.discharge(node, books_.pod(pod).shape, state_of(held.status));
  if (storage_.active()) storage_.remove(pod, node, held.status, held.planned);
  if (held.devices) device_refs_.remove(node, node_infos_[node], *held.devices, gpus_charged(task), held.status);
  if (task.gpu.shared()) sharing_.remove(node, node_infos_[node], task.gpu, held.groups, held.status);
  if (books_.pod(pod).present_on == node) books_.depart(pod);
  task.places.erase(task.places.begin() + (&held - task.places.data()));
}

std::vector<NumaZoneShare> Cluster::numa_zones(PodId pod) const {
  const auto& task = tasks_[pod];
  std::vector<NumaZoneShare> zones;
  const auto node = numa_nodes_.find(task.node);
  if (node == numa_nodes_.end()) return zones;
  for (const auto& part : task.numa_placement)
    if (part.zone < node->second.zones.size()) zones.push_back({node->second.zones[part.zone].name, part.amount});
  return zones;
}

void Cluster::withdraw(PodId pod) {
  note_shared(tasks_[pod]);
  while (!tasks_[pod].places.empty()) give_up(pod, tasks_[pod].places.back());
}

void Cluster::note_shared(const Task& task) {
  if (!task.gpu.shared()) return;
  for (const auto& place : task.places) shared_nodes_.push_back(place.node);
}

// What sharing leaves behind depends on the order of events, so nodes are counted anew, as if all their pods had just come,
// the oldest first.
void Cluster::rebuild_shared_nodes() {
  auto nodes = std::exchange(shared_nodes_, {});
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (const auto node : nodes) {
    auto pods = books_.pods_on(node);
    std::erase_if(pods, [&](PodId pod) { return !tasks_[pod].gpu.shared(); });
    std::sort(pods.begin(), pods.end(), [&](PodId left, PodId right) {
      const auto& l = books_.pod(left);
      const auto& r = books_.pod(right);
      return std::tie(l.created, l.uid, left) < std::tie(r.created, r.uid, right);
    });
    for (const auto pod : pods) unplace(pod, node);
    sharing_.clear(node, node_infos_[node]);
    for (const auto pod : pods) place(pod, node, tasks_[pod].status);
  }
}

// ------------------------------------------------------------------------------------------ what the outside says

bool Cluster::bind_lives(const Task& task) const { return task.bind && !task.bind->failed && known(task.bind->node); }

NodeId Cluster::outside_node(PodId pod) const {
  const auto& task = tasks_[pod];
  if (task.facts.node) return task.facts.node;
  return bind_lives(task) ? task.bind->node : NodeId();
}

Status Cluster::derived_status(const Task& task) const {
  const auto& facts = task.facts;
  switch (facts.phase) {
    case PodFacts::Phase::kRunning:
      if (!facts.deleted) return Status::kRunning;
      return nanos_between(*facts.deleted, now_) > options_.stuck_in_releasing_after ? Status::kStuckInReleasing
                                                                                     : Status::kReleasing;
    case PodFacts::Phase::kPending:
      if (facts.deleted) return Status::kReleasing;
      if (facts.node) return Status::kBound;
      if (bind_lives(task)) return Status::kBinding;
      return facts.gated ? Status::kGated : Status::kPending;
    case PodFacts::Phase::kSucceeded: return Status::kSucceeded;
    case PodFacts::Phase::kFailed: return Status::kFailed;
    case PodFacts::Phase::kUnknown:
      // Nobody knows whether it runs: it holds what it has and nobody counts on it.
      return facts.node && !options_.behaviour.keeps(Quirk::kUnknownHoldsNothing) ? Status::kStuckInReleasing : Status::kUnknown;
  }
  return Status::kUnknown;
}

void Cluster::settle_pod(PodId pod) {
  withdraw(pod);
  join_job(pod);
  auto& task = tasks_[pod];
  set_status(pod, Status::kUnknown);  // holds nothing while what it was given is put right
  task.accepted = {};
  task.accepted_sums = {};
  task.is_virtual = false;
  task.node = outside_node(pod);
  task.extended.reset();
  if (devices_.has_claims(pod)) task.devices = claimed_devices(pod);
  task.groups = bind_lives(task) && !task.bind->groups.empty() ? task.bind->groups : task.facts.groups;
  const auto status = derived_status(task);
  set_status(pod, status);
  if (kActiveUsed.contains(status) && known(task.node)) place(pod, task.node, status);
  note_shared(task);
}

// Pods may have named a node before its object came, or while it was gone.
void Cluster::settle_on_new_nodes() {
  if (new_nodes_.empty()) return;
  Bitset is_new(books_.node_count());
  for (const auto node : std::exchange(new_nodes_, {})) is_new.set(node.index());
  for (const auto pod : IdRange<PodId>(books_.pod_count())) {
    if (books_.removed(pod) || !tasks_[pod].places.empty()) continue;
    const auto node = outside_node(pod);
    if (node && is_new.test(node.index()) && kActiveUsed.contains(derived_status(tasks_[pod]))) settle_pod(pod);
  }
}

void Cluster::reset_pods(const std::vector<PodId>& pods) {
  for (const auto pod : pods) settle_pod(pod);
  rebuild_shared_nodes();
}

void Cluster::bind_ordered(PodId pod, BindOrder order) {
  tasks_[pod].bind = std::move(order);
  unsettled_.push_back(pod);
}

void Cluster::pod_deleted(PodId pod, Timestamp when) {
  tasks_[pod].facts.deleted = when;
  terminating_.push_back(pod);
}

void Cluster::pod_runs(PodId pod) {
  auto& task = tasks_[pod];
  MUSTER_ASSERT(task.bind.has_value());
  task.facts.phase = PodFacts::Phase::kRunning;
  task.facts.node = task.bind->node;
  if (task.bind->groups.size() == 1) task.facts.groups = task.bind->groups;
  bind_claims(pod);
  unsettled_.push_back(pod);
}

void Cluster::pod_respawns(PodId pod) {
  release_claims(pod);
  auto& task = tasks_[pod];
  task.facts.phase = PodFacts::Phase::kPending;
  task.facts.node = NodeId();
  task.facts.deleted.reset();
  task.facts.groups.clear();
  task.bind.reset();
  std::erase(terminating_, pod);
  bind_requests_.erase(books_.pod_key(pod));
  unsettled_.push_back(pod);
}

void Cluster::remove_pod(PodId pod) {
  release_claims(pod);
  drop_pod(pod);
}

}  // namespace muster::kai
