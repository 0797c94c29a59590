// Objects that are gone. What is decided from then on is as if they had never been there.

#include "policy/volcano/cluster.h"
#include "policy/volcano/csi_attachments.h"
#include "policy/volcano/devices/device_books.h"
#include "policy/volcano/kube_rules.h"
#include "policy/volcano/numa/numa_books.h"
#include "policy/volcano/pod_intake.h"

namespace muster::volcano {
namespace {

template <class ByNamespace>
void erase(ByNamespace& objects, const std::string& ns, const std::string& name) {
  const auto found = objects.find(ns);
  if (found == objects.end()) return;
  found->second.erase(name);
  if (found->second.empty()) objects.erase(found);
}

}  // namespace

void Cluster::remove(const GoneObject& object) {
  struct Visitor {
    Cluster& cluster;
    void operator()(const Gone<Pod>& pod) {
      const auto key = pod.key();
      cluster.forget_waiting(key);
      std::erase_if(cluster.deferred_, [&](const Pod& other) { return other.meta.ns == pod.ns && other.meta.name == pod.name; });
      if (const auto known = cluster.find_pod(key)) cluster.remove_pod(known);
    }
    void operator()(const Gone<Node>& node) { cluster.remove_node(node.name); }
    void operator()(const Gone<PodGroup>& group) { cluster.remove_group(group.key()); }
    void operator()(const Gone<Queue>& queue) { cluster.remove_queue(queue.name); }
    void operator()(const Gone<PriorityClass>& c) {
      cluster.priority_classes_.erase(c.name);
      cluster.global_defaults_.erase(c.name);
      if (cluster.settled_) cluster.for_each_job([&](Job& job) { cluster.update_priority(job); });
    }
    void operator()(const Gone<ResourceQuota>& quota) { erase(cluster.quotas_, quota.ns, quota.name); }
    void operator()(const Gone<PodDisruptionBudget>& budget) { erase(cluster.budgets_, budget.ns, budget.name); }
    void operator()(const Gone<Namespace>& ns) { cluster.namespaces_.remove(ns.name), changed_rules(); }
    void operator()(const Gone<StorageClass>& c) { cluster.volumes_.remove_storage_class(c.name), changed_storage(); }
    void operator()(const Gone<PersistentVolume>& volume) { cluster.volumes_.remove_volume(volume.name), changed_storage(); }
    void operator()(const Gone<PersistentVolumeClaim>& claim) { cluster.volumes_.remove_claim(claim.key()), changed_storage(); }
    void operator()(const Gone<CsiNode>& node) {
      cluster.volumes_.remove_csi_node(node.name), changed_rules();
      if (const auto id = cluster.books_.find_node(node.name); id && cluster.books_.node(id).known)
        cluster.set_node(id, cluster.books_.node(id));
    }
    void operator()(const Gone<NodeShard>& shard) {
      cluster.shards_.erase(shard.name), changed_rules();
      cluster.shards_stale_ = true;
    }
    void operator()(const Gone<HyperNode>& node) { cluster.hyper_tree_.remove(node.name); }
    void operator()(const Gone<ResourceClaim>& claim) { cluster.remove_claim(claim.key()); }
    void operator()(const Gone<ResourceSlice>& slice) { cluster.devices_.remove_slice(slice.name); }
    void operator()(const Gone<DeviceClass>& device_class) { cluster.devices_.remove_class(device_class.name); }
    void operator()(const Gone<Numatopology>& topology) {
      if (cluster.numa_) cluster.numa_->remove(topology.name);
    }
    void operator()(const Gone<ConfigMap>& map) {
      if (cluster.shared_devices_) cluster.shared_devices_->forget_config_map(map.ns, map.name);
    }
    void operator()(const Gone<CsiDriver>&) {}
    void operator()(const Gone<CsiStorageCapacity>&) {}
    // Of other dialects.
    void operator()(const Gone<KaiQueue>&) {}
    void operator()(const Gone<KaiPodGroup>&) {}
    void operator()(const Gone<BindRequest>&) {}
    void operator()(const Gone<KaiTopology>&) {}
    void operator()(const Gone<NodeResourceTopology>&) {}

    void changed_rules() { ++cluster.rules_version_; }
    void changed_storage() {
      changed_rules();
      cluster.attachments_stale_ |= !cluster.attached_.empty();
    }
  };
  std::visit(Visitor{*this}, object);
}

// Its pods stay accounted on it, as pods do that name a node of which nothing is known yet.
void Cluster::remove_node(const std::string& name) {
  const auto id = books_.find_node(name);
  if (!id || !books_.node(id).known) return;
  books_.remove_node(id);
  node_extras_[id] = {};
  if (shared_devices_) shared_devices_->forget_node(id);
  shards_stale_ = true;
}

// The job stays as long as it has pods, as one whose group has not come yet.
void Cluster::remove_group(const std::string& key) {
  const auto id = find_job(key);
  if (!id || !jobs_[id].has_pod_group) return;
  auto& job = jobs_[id];
  if (job.sub_jobs) std::erase(divided_jobs_, id);
  Job bare;
  bare.id = id;
  bare.ns = std::move(job.ns);
  bare.name = std::move(job.name);
  bare.workload.of_pods = std::move(job.workload.of_pods);
  bare.gated = job.gated;
  bare.waiting_best_effort = job.waiting_best_effort;
  bare.roles = std::move(job.roles);
  bare.forget_role_minimums();
  job = std::move(bare);
  books_.renew_group(id);
  gone_jobs_.push_back(id);
  emptied_.push_back(id);
}

// Its jobs leave its sums with the next refresh().
void Cluster::remove_queue(const std::string& name) {
  const auto id = find_queue(name);
  if (!id) return;
  QueueInfo gone;
  gone.name = name;
  gone.sums = std::move(queues_[id].sums);
  gone.jobs = queues_[id].jobs;
  queues_[id] = std::move(gone);
  ++rules_version_;
  for_each_job([&](Job& job) {
    if (job.queue != id) return;
    link_queue(job);
    books_.renew_group(job.id);
  });
}

// Pods that name it are not seen any more until it comes back.
void Cluster::remove_claim(const std::string& key) {
  devices_.remove_claim(key);
  std::vector<Pod> orphans;
  for (const auto& [id, pod] : claimants_)
    for (const auto& claim : devices_.claims_of(id))
      if (claim.source == PodClaim::Source::kNamed && claim.key == key) {
        orphans.push_back(pod);
        break;
      }
  for (const auto& pod : orphans) apply_pod(pod);
}

// The pod does not wait for a claim any more.
void Cluster::forget_waiting(const std::string& pod) {
  if (without_claim_.erase(pod) == 0) return;
  for (auto waiting = waiting_for_claim_.begin(); waiting != waiting_for_claim_.end();) {
    waiting->second.erase(pod);
    waiting = waiting->second.empty() ? waiting_for_claim_.erase(waiting) : std::next(waiting);
  }
}

// --------------------------------------------------------------------------------------------------- volumes of pods

void Cluster::recount_attachments() {
  if (!std::exchange(attachments_stale_, false)) return;
  for (auto& [id, attached] : attached_) {
    Amounts now;
    add_attachments(attached.pod, volumes_, options_.ignored_provisioners, books_, now);
    if (now == attached.attachments) continue;
    reshape(id, attached.attachments, now);
    attached.attachments = std::move(now);
  }
}

void Cluster::reshape(PodId pod, const Amounts& before, const Amounts& now) {
  const auto shape = books_.intern_shape(with_attachments(books_.shape_of(pod), before, now));
  const auto [node, as, place] = std::tuple(books_.pod(pod).accounted_on, books_.pod(pod).accounted_as, books_.pod(pod).present_on);
  if (place) books_.depart(pod);
  if (node) books_.unaccount(pod);
  count_role(pod, -1);
  books_.set_shape(pod, shape);
  count_role(pod, +1);
  if (node) books_.account(pod, node, as);
  if (place) books_.arrive(pod, place);
}

}  // namespace muster::volcano
