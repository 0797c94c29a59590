// The part of the cluster that takes in objects.
#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "engine/devices/pod_claims.h"
#include "policy/kai/cluster.h"
#include "policy/kai/domain_rooms.h"

namespace muster::kai {
namespace {

constexpr std::string_view kGpuGroupLabel = "runai-gpu-group";
constexpr std::string_view kGpuGroupPrefix = "runai-gpu-group/";
constexpr std::string_view kTaskPriorityLabel = "kai.scheduler/task-priority";

PodFacts::Phase phase_of(const std::string& text) {
  if (text == "Pending" || text.empty()) return PodFacts::Phase::kPending;
  if (text == "Running") return PodFacts::Phase::kRunning;
  if (text == "Succeeded") return PodFacts::Phase::kSucceeded;
  return text == "Failed" ? PodFacts::Phase::kFailed : PodFacts::Phase::kUnknown;
}

// Without the plain label those of several groups are not read at all.
GpuGroups groups_of(const StringMap& labels, Interner<SymbolId>& symbols) {
  GpuGroups groups;
  const auto* first = labels.find(kGpuGroupLabel);
  if (first == nullptr) return groups;
  groups.push_back(symbols.intern(*first));
  for (const auto& [key, value] : labels)
    if (key.starts_with(kGpuGroupPrefix)) groups.push_back(symbols.intern(key.substr(kGpuGroupPrefix.size())));
  return groups;
}

void take_order(const StringMap& labels, Task& task) {
  if (const auto* text = labels.find(kTaskPriorityLabel)) {
    task.has_priority_label = true;
    std::int64_t value = 0;
    const auto* begin = text->starts_with('+') ? text->data() + 1 : text->data();
    const auto [stop, error] = std::from_chars(begin, text->data() + text->size(), value);
    if (error == std::errc() && stop == text->data() + text->size() && begin != stop) task.priority = value;
  }
  const auto role = labels.get("training.kubeflow.org/job-role");
  task.is_master = role == "master" || role == "launcher";
  task.is_head = labels.get("ray.io/node-type") == "head";
}

PodTerms terms_of(const Pod& pod) {
  const auto& affinity = pod.spec.affinity;
  return PodTerms{affinity.pod_required, affinity.anti_required, affinity.pod_preferred, affinity.anti_preferred, {}};
}

std::optional<Timestamp> stamp_of(const StringMap& annotations, std::string_view key) {
  const auto text = annotations.get(key);
  if (text.empty()) return std::nullopt;
  const auto parsed = Timestamp::parse_rfc3339(text);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

}  // namespace

void Cluster::apply(const Object& object) {
  struct Visitor {
    Cluster& cluster;
    void operator()(const Pod& pod) { cluster.apply_pod(pod); }
    void operator()(const Node& node) { cluster.apply_node(node); }
    void operator()(const KaiPodGroup& group) { cluster.apply_group(group); }
    void operator()(const KaiQueue& queue) { cluster.apply_queue(queue); }
    void operator()(const BindRequest& request) { cluster.apply_bind_request(request); }
    void operator()(const KaiTopology& topology) {
      cluster.topologies_[topology.meta.name] = topology;
      cluster.domain_rooms_.erase(topology.meta.name);
      cluster.groups_changed_ = true;
    }
    void operator()(const PriorityClass& c) {
      cluster.priority_classes_[c.meta.name] = c.value;
      cluster.global_defaults_.erase(c.meta.name);
      if (c.global_default) cluster.global_defaults_[c.meta.name] = c.value;
      cluster.groups_changed_ = true;
    }
    void operator()(const NodeResourceTopology& topology) { cluster.apply_zones(topology); }
    void operator()(const Namespace& ns) { cluster.namespaces_.set(ns); }
    void operator()(const StorageClass& c) { cluster.volumes_.set(c); }
    void operator()(const PersistentVolume& volume) { cluster.volumes_.set(volume); }
    void operator()(const PersistentVolumeClaim& claim) { cluster.volumes_.set(claim); }
    void operator()(const ResourceClaim& claim) {
      cluster.devices_.set(claim);
      cluster.claims_changed_ = true;
    }
    void operator()(const ResourceSlice& slice) {
      cluster.devices_.set(slice);
      cluster.slices_changed_ = true;
    }
    void operator()(const DeviceClass& device_class) {
      cluster.devices_.set(device_class);
      cluster.extended_.build(cluster.devices_);
    }
    void operator()(const CsiDriver& driver) { cluster.storage_.set(driver); }
    void operator()(const CsiStorageCapacity& capacity) { cluster.storage_.set(capacity); }
    // Of no concern to this dialect.
    void operator()(const CsiNode&) {}
    void operator()(const ConfigMap&) {}
    void operator()(const ResourceQuota&) {}
    void operator()(const PodDisruptionBudget&) {}
    void operator()(const PodGroup&) {}
    void operator()(const Queue&) {}
    void operator()(const HyperNode&) {}
    void operator()(const NodeShard&) {}
    void operator()(const Numatopology&) {}
  };
  std::visit(Visitor{*this}, object);
}

bool in_shard(const StringMap& labels, const ClusterOptions& options) {
  const auto* pool = labels.find(options.node_pool_key);
  return options.node_pool.empty() ? pool == nullptr : pool != nullptr && *pool == options.node_pool;
}

bool Cluster::in_shard(const StringMap& labels) const { return kai::in_shard(labels, options_); }

void Cluster::apply_pod(const Pod& pod) {
  const auto key = pod.meta.ns + "/" + pod.meta.name;
  std::optional<BindOrder> assumed;  // asked for, and not yet seen on the API server
  if (const auto known = find_pod(key)) {
    if (books_.pod(known).uid == pod.meta.uid && pod.spec.node_name.empty()) assumed = std::move(tasks_[known].bind);
    drop_pod(known);
  }
  if (phase_of(pod.status.phase) == PodFacts::Phase::kFailed) return;  // the original does not list them
  auto request = request_of(pod, books_);
  Task task;
  const auto app = pod.meta.labels.get("app");
  task.reservation = !app.empty() && app == options_.reservation_app;
  task.utility = task.reservation || (!app.empty() && app == options_.scaling_app);
  if (task.reservation) request.shape.request.set(gpu_, 0);
  task.gpu = request.gpu;
  if (!pod.spec.overhead.empty())
    task.overhead = std::make_unique<const Overhead>(pod.spec.overhead, amounts_of(pod.spec.overhead, books_));
  if (options_.numa_requests) task.numa = std::make_unique<const NumaRequest>(numa_request_of(pod, books_.symbols()));
  task.job_name = pod.meta.annotations.get("pod-group-name");
  task.sub_group = pod.meta.labels.get("kai.scheduler/subgroup-name");
  task.ours = pod.spec.scheduler_name == options_.scheduler_name;
  task.nominated_node = pod.status.nominated_node;
  task.priority_class = pod.spec.priority_class;
  task.facts.phase = phase_of(pod.status.phase);
  task.facts.node = pod.spec.node_name.empty() ? NodeId() : books_.intern_node(pod.spec.node_name);
  task.facts.deleted = pod.meta.deleted;
  task.facts.unreservable = options_.whole_gpus_only && task.gpu.shared();
  task.facts.gated = task.facts.unreservable || !pod.spec.scheduling_gates.empty();
  task.facts.groups = groups_of(pod.meta.labels, books_.symbols());
  take_order(pod.meta.labels, task);
  task.asks = extended_asks(pod);

  PodRecord record;
  record.name = pod.meta.name;
  record.uid = pod.meta.uid;
  record.ns = books_.symbols().intern(pod.meta.ns);
  record.created = pod.meta.created;
  record.priority = pod.spec.priority.value_or(0);
  record.shape = books_.intern_shape(std::move(request.shape));
  record.labels = books_.intern_labels(record.ns, pod.meta.labels);
  record.terms = books_.intern_terms(terms_of(pod));
  if (!task.job_name.empty()) {
    record.group = intern_job(pod.meta.ns, task.job_name);
    jobs_[record.group].workload.take_pod(pod);
  }
  task.bind = std::move(assumed);
  const auto id = books_.add_pod(std::move(record));
  if (id.index() == tasks_.size())
    tasks_.push_back(std::move(task));
  else
    tasks_[id] = std::move(task);
  pod_names_[key] = id;
  if (!pod.spec.resource_claims.empty()) devices_.set_pod(id, device_claims_of(pod));
  claims_changed_ |= !pod.spec.resource_claims.empty() || !claim_owners_.empty();
  node_infos_.resize(books_.node_count());
  if (const auto found = bind_requests_.find(key); found != bind_requests_.end()) apply_bind_request(found->second);
  if (pod.meta.deleted) terminating_.push_back(id);
  unsettled_.push_back(id);
}

void Cluster::apply_node(const Node& node) {
  const bool hidden = options_.restrict_nodes && !node.meta.labels.contains(options_.gpu_worker_key) &&
                      !node.meta.labels.contains(options_.cpu_worker_key);
  if (hidden || !in_shard(node.meta.labels)) {
    if (const auto known = books_.find_node(node.meta.name)) remove_node(known);
    return;
  }
  const auto id = books_.intern_node(node.meta.name);
  node_infos_.resize(books_.node_count());
  nodes_changed_ = true;
  if (!known(id)) new_nodes_.push_back(id);
  for (const auto pod : books_.pods_on(id)) unsettled_.push_back(pod);
  const auto allocatable = amounts_of(node.allocatable, books_);
  NodeRecord record;
  record.name = node.meta.name;
  record.labels = node.meta.labels;
  record.taints = node.taints;
  record.unschedulable = node.unschedulable;
  auto info = info_of(node, allocatable, options_, books_);
  info.groups = std::move(node_infos_[id].groups);
  info.shared_releasing = node_infos_[id].shared_releasing;
  info.device_uses = std::move(node_infos_[id].device_uses);
  info.spared = node_infos_[id].spared;
  node_infos_[id] = std::move(info);
  books_.set_node(id, std::move(record), allocatable);
  slices_changed_ |= !devices_.slices().empty();
  for (const auto& [name, quantity] : node.allocatable)
    if (is_gpu(name) && quantity.units() > 0) node_infos_[id].gpu_names.push_back(books_.symbols().intern(name));
  if (!node_infos_[id].groups.empty()) shared_nodes_.push_back(id);
}

void Cluster::apply_group(const KaiPodGroup& group) {
  const auto id = intern_job(group.meta.ns, group.meta.name);
  auto& job = jobs_[id];
  const auto pods = books_.group(id).pods;
  for (const auto pod : pods) leave_job(pod);
  if (!std::exchange(job.has_group, true)) in_order_.push_back(id);
  unlinked_.push_back(id);
  job.listed = in_shard(group.meta.labels);
  job.ns = group.meta.ns;
  job.uid = group.meta.uid;
  job.workload.of_group = workload_of(group.meta);
  job.created = group.meta.created;
  job.queue_name = group.queue;
  job.priority_class = group.priority_class;
  job.preemptibility = group.preemptibility;
  job.groups = SubGroups(group);
  job.preemption_delay = group.preemption_delay;
  job.staleness_grace = group.staleness_grace_period;
  job.backoff = group.scheduling_backoff.value_or(-1);
  job.mark_unschedulable = group.mark_unschedulable.value_or(true);
  job.node_pool = group.meta.labels.get(options_.node_pool_key);
  const auto& notes = group.meta.annotations;
  job.written = {stamp_of(notes, "kai.scheduler/last-start-timestamp"), stamp_of(notes, "kai.scheduler/stale-podgroup-timestamp"),
                 stamp_of(notes, "kai.scheduler/last-eviction-timestamp")};
  job.conditions = group.conditions;
  if (options_.group_meta) job.meta = std::make_shared<const ObjectMeta>(group.meta);
  for (const auto pod : pods) join_job(pod);
}

void Cluster::apply_queue(const KaiQueue& queue) {
  remove_queue(queue.meta.name);
  if (!in_shard(queue.meta.labels)) return;
  queue_places_[queue.meta.name] = queues_.insert(queues_.end(), queue);
  queues_changed_ = true;
}

void Cluster::apply_bind_request(const BindRequest& request) {
  const auto key = request.meta.ns + "/" + request.pod;
  bind_requests_[key] = request;
  bound_pods_[request.meta.ns + "/" + request.meta.name] = key;
  const auto pod = find_pod(key);
  if (!pod) return;
  BindOrder order;
  order.node = request.node.empty() ? NodeId() : books_.intern_node(request.node);
  for (const auto& group : request.gpu_groups) order.groups.push_back(books_.symbols().intern(group));
  order.failed = request.has_failed();
  order.numa = request.numa_zones;
  std::vector<ClaimedDevices::Claim> given;
  for (const auto& claim : request.claims) given.push_back({claim.name, {}, claim.allocation});
  if (!given.empty()) order.devices = make_claimed(std::move(given), books_.symbols());
  node_infos_.resize(books_.node_count());
  bind_ordered(pod, std::move(order));
}

void Cluster::apply_zones(const NodeResourceTopology& topology) {
  const auto id = books_.intern_node(topology.meta.name);
  node_infos_.resize(books_.node_count());
  numa_nodes_.erase(id);
  if (auto node = numa_node_of(topology, books_.symbols())) numa_nodes_.emplace(id, std::move(*node));
}

}  // namespace muster::kai
