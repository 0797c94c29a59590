// The part of the cluster that follows devices, and the claims that pods have on them.
#include <algorithm>

#include "policy/kai/claim_book.h"
#include "policy/kai/cluster.h"
#include "policy/kai/kube_rules.h"

namespace muster::kai {
namespace {

constexpr std::string_view kExtendedSuffix = "-extended-resources";

// The claim that a binder makes for devices that stand for resources of containers. It is the pod's, but not for the queues to
// count.
ResourceClaim extended_claim(const PodRecord& pod, const std::string& key, const ExtendedDevices& devices) {
  auto claim = devices.claim;
  claim.meta.ns = key.substr(0, key.find('/'));
  claim.meta.name = pod.name + std::string(kExtendedSuffix);
  claim.meta.annotations.set(std::string(kExtendedClaim), "true");
  claim.meta.owners = {{"Pod", pod.name, pod.uid, true}};
  claim.reserved_for = {consumer_of(pod)};
  return claim;
}

}  // namespace

void Cluster::refresh_devices() {
  if (std::exchange(slices_changed_, false)) count_slice_gpus();
  if (std::exchange(claims_changed_, false)) {
    const auto before = claimants_;
    find_claimants();
    for (const auto pod : before)  // may have lost what it had
      if (!std::binary_search(claimants_.begin(), claimants_.end(), pod)) {
        count_claimed_gpus(pod);
        unsettled_.push_back(pod);
      }
  }
  for (const auto pod : claimants_) {
    count_claimed_gpus(pod);
    unsettled_.push_back(pod);
  }
}

// Whatever the generation of their pool: every device that a driver of GPUs offers on one node alone counts there.
void Cluster::count_slice_gpus() {
  IdVector<NodeId, std::int64_t> gpus;
  gpus.assign(books_.node_count(), 0);
  for (const auto& [name, entry] : devices_.slices())
    if (const auto node = books_.find_node(entry.slice.reach.node); node && names_gpus(entry.slice.driver))
      gpus[node] += static_cast<std::int64_t>(entry.slice.devices.size());
  for (const auto node : IdRange<NodeId>(books_.node_count())) {
    auto& info = node_infos_[node];
    if (!known(node) || info.slice_gpus == gpus[node]) continue;
    Amounts allocatable;
    for (std::size_t r = 0; r < books_.resource_count(); ++r)
      if (const auto amount = books_.ledgers().allocatable[r][node.index()]; amount != 0) allocatable.set(ResourceId(r), amount);
    allocatable.add(gpu_, (gpus[node] - info.slice_gpus) * kWholeGpu);
    auto record = books_.node(node);
    books_.set_node(node, std::move(record), allocatable);
    info.slice_gpus = gpus[node];
    info.cpu_only = !info.mig && allocatable.get(gpu_) <= 0;
    nodes_changed_ = true;
  }
}

void Cluster::find_claimants() {
  claim_owners_.build(devices_);
  claimants_.clear();
  for (const auto& [pod, claims] : devices_.pods()) claimants_.push_back(pod);
  if (!claim_owners_.empty())
    for (const auto pod : IdRange<PodId>(books_.pod_count()))
      if (!books_.removed(pod) && !devices_.has_claims(pod) && claim_owners_.owns_any(books_.pod(pod).uid))
        claimants_.push_back(pod);
  std::sort(claimants_.begin(), claimants_.end());
}

void Cluster::count_claimed_gpus(PodId pod) {
  std::int64_t gpus = 0;
  for (const auto& key : claim_owners_.claims_of(books_.pod(pod).uid, devices_.claims_of(pod), devices_))
    gpus = std::min(gpus + gpus_of_claim(*claims_->find(key)), kMostGpus);
  auto& task = tasks_[pod];
  if (gpus == task.gpu.claimed) return;
  withdraw(pod);
  leave_job(pod);
  auto shape = books_.shape_of(pod);
  if (!task.gpu.shared() && !task.reservation) shape.request.add(gpu_, (gpus - task.gpu.claimed) * kWholeGpu);
  task.gpu.claimed = gpus;
  books_.set_shape(pod, books_.intern_shape(std::move(shape)));
}

// What stands in a BindRequest goes before what the claim says. A claim that a pod names and that is not there hides those after
// it.
ClaimedDevicesPtr Cluster::claimed_devices(PodId pod) {
  const auto& task = tasks_[pod];
  const auto& named = devices_.claims_of(pod);
  const auto own = claim_owners_.claims_of(books_.pod(pod).uid, named, devices_);
  std::vector<ClaimedDevices::Claim> claims;
  for (const auto& claim : named) {
    const bool found = claim.is_resolved() && std::find(own.begin(), own.end(), claim.key) != own.end();
    if (!found && claim.source != PodClaim::Source::kNamed && claim.source != PodClaim::Source::kUnknown) continue;
    if (!found) break;
    const auto* given = bind_lives(task) && task.bind->devices ? task.bind->devices->find(claim.name) : nullptr;
    claims.push_back({claim.name, claim.key, given != nullptr ? given->allocation : claims_->find(claim.key)->allocation});
  }
  return make_claimed(std::move(claims), books_.symbols());
}

std::int64_t Cluster::gpus_charged(const Task& task) const {
  return task.gpu.shared() || task.reservation ? 0 : static_cast<std::int64_t>(task.gpu.on_node());
}

void Cluster::bind_claims(PodId pod) {
  const auto& order = *tasks_[pod].bind;
  if (order.extended) devices_.set(extended_claim(books_.pod(pod), books_.pod_key(pod), *order.extended));
  claims_changed_ |= order.extended != nullptr;
  if (!devices_.has_claims(pod)) return;
  for (const auto& claim : devices_.claims_of(pod)) {
    const auto* given = order.devices ? order.devices->find(claim.name) : nullptr;
    if (given != nullptr && claim.is_resolved()) claims_->bind(claim.key, given->allocation, consumer_of(books_.pod(pod)));
  }
  claims_changed_ = true;
}

void Cluster::release_claims(PodId pod) {
  if (const auto& order = tasks_[pod].bind; order && order->extended) {
    devices_.remove_claim(books_.pod_key(pod) + std::string(kExtendedSuffix));
    claims_changed_ = true;
  }
  if (!devices_.has_claims(pod)) return;
  for (const auto& claim : devices_.claims_of(pod))
    if (claim.is_resolved()) claims_->release(claim.key, consumer_of(books_.pod(pod)));
  claims_changed_ = true;
}

}  // namespace muster::kai
