// Objects that are gone. What is decided from then on is as if they had never been there.

#include <algorithm>

#include "policy/kai/cluster.h"
#include "policy/kai/domain_rooms.h"

namespace muster::kai {

void Cluster::remove(const GoneObject& object) {
  struct Visitor {
    Cluster& cluster;
    void operator()(const Gone<Pod>& pod) {
      if (const auto known = cluster.find_pod(pod.key())) cluster.drop_pod(known);
    }
    void operator()(const Gone<Node>& node) {
      if (const auto known = cluster.books_.find_node(node.name)) cluster.remove_node(known);
    }
    void operator()(const Gone<KaiPodGroup>& group) {
      const bool mixed = cluster.options_.behaviour.keeps(Quirk::kMixedNamespaces);
      const auto known = cluster.job_names_.find(mixed ? group.name : group.key());
      if (known && cluster.jobs_[known].ns == group.ns) cluster.remove_group(known);  // not one of its name elsewhere
    }
    void operator()(const Gone<KaiQueue>& queue) { cluster.remove_queue(queue.name); }
    void operator()(const Gone<BindRequest>& request) { cluster.remove_bind_request(request.key()); }
    void operator()(const Gone<KaiTopology>& topology) {
      cluster.topologies_.erase(topology.name);
      cluster.domain_rooms_.erase(topology.name);
      cluster.groups_changed_ = true;
    }
    void operator()(const Gone<PriorityClass>& c) {
      cluster.priority_classes_.erase(c.name);
      cluster.global_defaults_.erase(c.name);
      cluster.groups_changed_ = true;
    }
    void operator()(const Gone<NodeResourceTopology>& topology) {
      if (const auto node = cluster.books_.find_node(topology.name)) cluster.numa_nodes_.erase(node);
    }
    void operator()(const Gone<Namespace>& ns) { cluster.namespaces_.remove(ns.name); }
    void operator()(const Gone<StorageClass>& c) { cluster.volumes_.remove_storage_class(c.name); }
    void operator()(const Gone<PersistentVolume>& volume) { cluster.volumes_.remove_volume(volume.name); }
    void operator()(const Gone<PersistentVolumeClaim>& claim) { cluster.volumes_.remove_claim(claim.key()); }
    void operator()(const Gone<ResourceClaim>& claim) {
      cluster.devices_.remove_claim(claim.key());
      cluster.claims_changed_ = true;
    }
    void operator()(const Gone<ResourceSlice>& slice) {
      cluster.devices_.remove_slice(slice.name);
      cluster.slices_changed_ = true;
    }
    void operator()(const Gone<DeviceClass>& device_class) {
      cluster.devices_.remove_class(device_class.name);
      cluster.extended_.build(cluster.devices_);
    }
    void operator()(const Gone<CsiDriver>& driver) { cluster.storage_.remove_driver(driver.name); }
    void operator()(const Gone<CsiStorageCapacity>& capacity) { cluster.storage_.remove_capacity(capacity.key()); }
    // Of no concern to this dialect.
    void operator()(const Gone<CsiNode>&) {}
    void operator()(const Gone<ConfigMap>&) {}
    void operator()(const Gone<ResourceQuota>&) {}
    void operator()(const Gone<PodDisruptionBudget>&) {}
    void operator()(const Gone<PodGroup>&) {}
    void operator()(const Gone<Queue>&) {}
    void operator()(const Gone<HyperNode>&) {}
    void operator()(const Gone<NodeShard>&) {}
    void operator()(const Gone<Numatopology>&) {}
  };
  std::visit(Visitor{*this}, object);
}

// What its claims have been given stays theirs: their own objects tell when it is free.
void Cluster::drop_pod(PodId pod) {
  withdraw(pod);
  leave_job(pod);
  std::erase(terminating_, pod);
  pod_names_.erase(books_.pod_key(pod));
  claims_changed_ |= devices_.has_claims(pod);
  devices_.remove_pod(pod);
  std::erase(claimants_, pod);
  const auto group = books_.pod(pod).group;
  books_.remove_pod(pod);
  tasks_[pod] = Task();
  if (group && books_.group(group).pods.empty()) emptied_.push_back(group);
}

// Pods stay, as pods do that name a node of which nothing is known.
void Cluster::remove_node(NodeId id) {
  if (!known(id)) return;
  const auto pods = books_.pods_on(id);
  for (const auto pod : pods) {
    withdraw(pod);
    unsettled_.push_back(pod);
  }
  sharing_.clear(id, node_infos_[id]);
  node_infos_[id] = {};
  std::erase(shared_nodes_, id);
  books_.remove_node(id);
  nodes_changed_ = true;
}

// Pods stay, as pods do that name a group of which nothing is known.
void Cluster::remove_group(GroupId id) {
  auto& job = jobs_[id];
  if (!job.has_group) return;
  for (const auto pod : books_.group(id).pods) leave_job(pod);
  std::erase(in_order_, id);
  Job bare;
  bare.id = id;
  bare.key = std::move(job.key);
  bare.name = std::move(job.name);
  bare.workload.of_pods = std::move(job.workload.of_pods);
  bare.changed = job.changed;
  job = std::move(bare);
  amounts_[id] = {};
  for (const auto pod : books_.group(id).pods) unsettled_.push_back(pod);
  unlinked_.push_back(id);
  gone_jobs_.push_back(id);
  emptied_.push_back(id);
}

void Cluster::remove_queue(const std::string& name) {
  const auto known = queue_places_.find(name);
  if (known == queue_places_.end()) return;
  queues_.erase(known->second);
  queue_places_.erase(known);
  queues_changed_ = true;
}

void Cluster::remove_bind_request(const std::string& key) {
  const auto found = bound_pods_.find(key);
  if (found == bound_pods_.end()) return;
  const auto pod_key = std::move(found->second);
  bound_pods_.erase(found);
  const auto request = bind_requests_.find(pod_key);
  if (request == bind_requests_.end() || request->second.meta.ns + "/" + request->second.meta.name != key) return;
  bind_requests_.erase(request);
  const auto pod = find_pod(pod_key);
  if (!pod) return;
  tasks_[pod].bind.reset();
  unsettled_.push_back(pod);
}

}  // namespace muster::kai
