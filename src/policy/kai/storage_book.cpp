#include "policy/kai/storage_book.h"

#include <algorithm>

#include "policy/kai/cluster.h"

namespace muster::kai {
namespace {

constexpr std::string_view kDelayed = "WaitForFirstConsumer";

// Pods that hold what they were given, as the original counts it when a cycle opens.
constexpr StatusSet kBoundStatuses{Status::kAllocated, Status::kBound, Status::kRunning, Status::kReleasing,
                                   Status::kStuckInReleasing};

// The pod that owns a claim; nullptr: none does alone.
const OwnerReference* pod_owner(const PersistentVolumeClaim& claim) {
  if (claim.meta.owners.size() != 1) return nullptr;
  const auto& owner = claim.meta.owners.front();
  return owner.kind == "Pod" || owner.kind == "pod" ? &owner : nullptr;
}

std::int64_t size_of(const PersistentVolumeClaim& claim) {
  const auto found = claim.requests.find("storage");
  return found == claim.requests.end() ? 0 : found->second.units();
}

}  // namespace

// ------------------------------------------------------------------------------------------------------- opening

void StorageBook::open(const Cluster& cluster) {
  active_ = true;
  find_classes(cluster);
  find_reach(cluster);
  find_claims(cluster);
  count_provisioned(cluster);
}

void StorageBook::find_classes(const Cluster& cluster) {
  classes_.clear();
  counts_.clear();
  const auto add = [&](const std::string& name) {
    if (!classes_.try_emplace(name, static_cast<ClassIndex>(counts_.size())).second) return;
    const auto* known = cluster.volumes().storage_class(name);
    counts_.push_back(known != nullptr && known->binding_mode == kDelayed && drivers_.contains(known->provisioner));
  };
  for (const auto& [name, capacity] : capacities_) add(capacity.storage_class);
  for (const auto& [name, storage_class] : cluster.volumes().storage_classes()) add(name);
}

// Capacities mostly choose nodes by one label, so nodes look among those for their own labels.
void StorageBook::find_reach(const Cluster& cluster) {
  amounts_.clear();
  std::map<std::pair<std::string_view, std::string_view>, std::vector<CapacityIndex>> by_label;
  std::vector<CapacityIndex> others;
  std::vector<const CsiStorageCapacity*> list;
  for (const auto& [name, capacity] : capacities_) {
    const auto index = static_cast<CapacityIndex>(amounts_.size());
    amounts_.push_back({capacity.capacity ? capacity.capacity->units() : 0, capacity.capacity.has_value(), {}});
    list.push_back(&capacity);
    const auto* first = capacity.nodes && !capacity.nodes->requirements.empty() ? &capacity.nodes->requirements.front() : nullptr;
    const bool one = first != nullptr && first->op == SelectorOp::kIn && first->values.size() == 1;
    (one ? by_label[{first->key, first->values.front()}] : others).push_back(index);
  }
  reach_.assign(cluster.books().node_count(), {});
  if (list.empty()) return;
  for (const auto node : cluster.nodes_by_name()) {
    const auto& labels = cluster.books().node(node).labels;
    auto& reach = reach_[node];
    const auto take = [&](CapacityIndex index) {
      const auto& capacity = *list[index];
      if (!capacity.nodes || capacity.nodes->matches(labels))
        reach.push_back({classes_.find(capacity.storage_class)->second, index});
    };
    std::for_each(others.begin(), others.end(), take);
    for (const auto& [key, value] : labels)
      if (const auto found = by_label.find({key, value}); found != by_label.end())
        std::for_each(found->second.begin(), found->second.end(), take);
    std::sort(reach.begin(), reach.end(), [](const Reach& l, const Reach& r) { return l.storage_class < r.storage_class; });
    const auto same = [](const Reach& l, const Reach& r) { return l.storage_class == r.storage_class; };
    if (std::adjacent_find(reach.begin(), reach.end(), same) != reach.end()) reach.clear();
  }
}

void StorageBook::find_claims(const Cluster& cluster) {
  claims_.clear();
  claim_names_.clear();
  uses_.clear();
  const auto& books = cluster.books();
  for (const auto pod : IdRange<PodId>(books.pod_count()))
    if (!books.removed(pod) && !books.shape_of(pod).claims.empty()) take_claims(cluster, pod);
}

// A claim without a class is of no concern. An owner that uses its claim and is not about to go keeps it.
void StorageBook::take_claims(const Cluster& cluster, PodId pod) {
  for (const auto& key : cluster.books().shape_of(pod).claims) {
    const auto* object = cluster.volumes().claim(key);
    const auto storage_class = object == nullptr || !object->storage_class ? classes_.end() : classes_.find(*object->storage_class);
    if (storage_class == classes_.end() || !counts_[storage_class->second]) continue;
    const auto [at, added] = claim_names_.try_emplace(key, static_cast<ClaimIndex>(claims_.size()));
    if (added) {
      auto& claim = claims_.emplace_back();
      claim.size = size_of(*object);
      claim.storage_class = storage_class->second;
      claim.pending = object->phase == "Pending";
      claim.bound = object->phase == "Bound";
      if (const auto* owner = pod_owner(*object)) {
        claim.owned = claim.owner_gone = true;
        claim.owner_uid = owner->uid;
        claim.owner = cluster.find_pod(object->meta.ns + "/" + owner->name);
      }
    }
    auto& claim = claims_[at->second];
    const bool own = claim.owned && claim.owner_uid == cluster.books().pod(pod).uid;
    if (own && !cluster.task(pod).facts.deleted) claim.owner_gone = false;
    auto& uses = uses_[pod];
    if (std::none_of(uses.begin(), uses.end(), [&](const Use& use) { return use.claim == at->second; }))
      uses.push_back({at->second, own});
  }
}

void StorageBook::count_provisioned(const Cluster& cluster) {
  for (const auto& [pod, uses] : uses_) {
    const auto& task = cluster.task(pod);
    if (!kBoundStatuses.contains(task.status) || !cluster.known(task.node)) continue;
    for (const auto& use : uses)
      for (const auto& reach : reach_[task.node]) {
        auto& held = amounts_[reach.capacity].provisioned;
        if (reach.storage_class == claims_[use.claim].storage_class && std::find(held.begin(), held.end(), use.claim) == held.end())
          held.push_back(use.claim);
      }
  }
}

// ----------------------------------------------------------------------------------------------------- questions

const std::vector<StorageBook::Use>& StorageBook::uses_of(PodId pod) const {
  static const std::vector<Use> kNone;
  const auto found = uses_.find(pod);
  return found == uses_.end() ? kNone : found->second;
}

const StorageBook::Capacity* StorageBook::capacity_for(NodeId node, ClassIndex storage_class) const {
  for (const auto& reach : reach_[node])
    if (reach.storage_class == storage_class) return &amounts_[reach.capacity];
  return nullptr;
}

std::map<StorageBook::ClassIndex, std::int64_t> StorageBook::needs(const Cluster& cluster, PodId pod) const {
  std::map<ClassIndex, std::int64_t> needs;
  const auto& task = cluster.task(pod);
  const bool moves = task.is_virtual && !kQuotaAllocated.contains(task.status);
  for (const auto& use : uses_of(pod)) {
    const auto& claim = claims_[use.claim];
    if (claim.pending) needs[claim.storage_class] += claim.size;
    if (moves && use.own) needs[claim.storage_class] += claim.size;
  }
  return needs;
}

std::int64_t StorageBook::left(const Capacity& capacity) const {
  if (!capacity.known) return 0;
  auto left = capacity.size;
  for (const auto index : capacity.provisioned) left -= claims_[index].bound ? 0 : claims_[index].size;
  return left;
}

std::int64_t StorageBook::releasing(const Cluster& cluster, const Capacity& capacity, NodeId node) const {
  std::int64_t amount = 0;
  for (const auto index : capacity.provisioned) {
    const auto& claim = claims_[index];
    if (!claim.owner) continue;
    const auto* place = cluster.task(claim.owner).place_on(node);
    if (place != nullptr && !kAlive.contains(place->status)) amount += claim.size;
  }
  return amount;
}

bool StorageBook::fits_now(const Cluster& cluster, PodId pod, NodeId node) const {
  const auto& uses = uses_of(pod);
  if (uses.empty()) return true;
  if (std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return claims_[use.claim].owner_gone; })) return false;
  for (const auto& [storage_class, need] : needs(cluster, pod)) {
    const auto* capacity = capacity_for(node, storage_class);
    if (capacity == nullptr || need > left(*capacity)) return false;
  }
  return true;
}

bool StorageBook::fits_later(const Cluster& cluster, PodId pod, NodeId node) const {
  if (uses_of(pod).empty()) return true;
  for (const auto& [storage_class, need] : needs(cluster, pod)) {
    const auto* capacity = capacity_for(node, storage_class);
    if (capacity == nullptr || need > left(*capacity) + releasing(cluster, *capacity, node)) return false;
  }
  return true;
}

template <class Index>
const std::string& StorageBook::name_of(const std::map<std::string, Index, std::less<>>& names, Index index) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.second == index; })->first;
}

// The original begins its list of claims with as many empty names as it has claims.
std::string StorageBook::obstacle(const Cluster& cluster, PodId pod, NodeId node) const {
  std::string gone, blanks, missing;
  for (const auto& use : uses_of(pod)) {
    if (!claims_[use.claim].owner_gone) continue;
    gone.append(gone.empty() ? "" : ", ").append(name_of(claim_names_, use.claim));
    blanks += ", ";
  }
  if (!gone.empty()) return "task has deleted storage claims: " + blanks + gone;
  for (const auto& [storage_class, need] : needs(cluster, pod)) {
    const auto* capacity = capacity_for(node, storage_class);
    if (capacity != nullptr && need <= left(*capacity)) continue;
    const auto& name = name_of(classes_, storage_class);
    missing.append(missing.empty() ? "" : "; ");
    missing.append(capacity == nullptr ? "no allocatable storage from storageclass " + name + " found"
                                       : "node(s) did not have enough free storage for storageclass " + name);
  }
  return missing;
}

// -------------------------------------------------------------------------------------------------------- changes

template <class Visit>
void StorageBook::for_each_provisioned(PodId pod, NodeId node, Status status, bool planned, Visit&& visit) {
  const bool moves = planned && !kQuotaAllocated.contains(status);
  for (const auto& use : uses_of(pod)) {
    const auto& claim = claims_[use.claim];
    if (!claim.pending && !(moves && use.own)) continue;
    for (const auto& reach : reach_[node])
      if (reach.storage_class == claim.storage_class) visit(amounts_[reach.capacity].provisioned, use.claim);
  }
}

void StorageBook::add(PodId pod, NodeId node, Status status, bool planned) {
  for_each_provisioned(pod, node, status, planned, [](std::vector<ClaimIndex>& held, ClaimIndex claim) {
    if (std::find(held.begin(), held.end(), claim) == held.end()) held.push_back(claim);
  });
}

void StorageBook::remove(PodId pod, NodeId node, Status status, bool planned) {
  for_each_provisioned(pod, node, status, planned,
                       [](std::vector<ClaimIndex>& held, ClaimIndex claim) { std::erase(held, claim); });
}

}  // namespace muster::kai
