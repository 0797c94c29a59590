#include "policy/kai/cluster.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "base/assert.h"
#include "engine/devices/pod_claims.h"
#include "policy/kai/domain_rooms.h"
#include "policy/kai/kube_rules.h"

namespace muster::kai {
namespace {

constexpr std::string_view kGpuGroupLabel = "runai-gpu-group";
constexpr std::string_view kGpuGroupPrefix = "runai-gpu-group/";
constexpr std::string_view kTaskPriorityLabel = "kai.scheduler/task-priority";
constexpr std::int32_t kDefaultJobPriority = 50;
constexpr std::int32_t kNonPreemptibleFrom = 100;

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

bool is_failed(const BindRequest& request) {
  return request.phase == "Failed" && (!request.backoff_limit || request.failed_attempts >= *request.backoff_limit);
}

// The one with the highest transition id; an id that is no number counts as -1.
const KaiSchedulingCondition* last_condition(const std::vector<KaiSchedulingCondition>& conditions) {
  const auto id_of = [](const KaiSchedulingCondition& condition) {
    std::int64_t id = -1;
    const auto& text = condition.transition_id;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    return error == std::errc() && stop == text.data() + text.size() ? id : -1;
  };
  const KaiSchedulingCondition* last = nullptr;
  for (const auto& condition : conditions)
    if (last == nullptr || id_of(condition) > id_of(*last)) last = &condition;
  return last;
}

bool is_backing_off(const Job& job) {
  if (job.backoff == -1) return false;
  const auto* last = last_condition(job.conditions);
  return last != nullptr && last->node_pool == (job.node_pool.empty() ? "default" : job.node_pool);
}

}  // namespace

Accounting kai_accounting() {
  Accounting accounting;
  const auto rule = [&](PodState state) -> Accounting::Rule& { return accounting.rules[static_cast<std::size_t>(state)]; };
  rule(PodState::kReleasing) = {true, true, false};
  rule(PodState::kPipelined) = {false, false, true};
  return accounting;
}

Cluster::Cluster(ClusterOptions options)
    : options_(std::move(options)),
      books_(kai_accounting()),
      gpu_(books_.resource("nvidia.com/gpu")),
      sharing_(books_, gpu_),
      device_refs_(books_, gpu_),
      offers_(*this) {
  kube_rules_ = std::make_unique<KubeRules>(books_, fits_, namespaces_, volumes_, devices_);
  claims_ = std::make_unique<ClaimBook>(devices_, kube_rules_->devices);
}

Cluster::~Cluster() = default;

// ------------------------------------------------------------------------------------------------------ objects

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

bool Cluster::in_shard(const StringMap& labels) const {
  const auto* pool = labels.find(options_.node_pool_key);
  return options_.node_pool.empty() ? pool == nullptr : pool != nullptr && *pool == options_.node_pool;
}

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
  if (options_.numa_requests) task.numa = std::make_unique<const NumaRequest>(numa_request_of(pod, books_.symbols()));
  task.job_name = pod.meta.annotations.get("pod-group-name");
  task.sub_group = pod.meta.labels.get("kai.scheduler/subgroup-name");
  task.ours = pod.spec.scheduler_name == options_.scheduler_name;
  task.nominated_node = pod.status.nominated_node;
  task.priority_class = pod.spec.priority_class;
  task.facts.phase = phase_of(pod.status.phase);
  task.facts.node = pod.spec.node_name.empty() ? NodeId() : books_.intern_node(pod.spec.node_name);
  task.facts.deleted = pod.meta.deleted;
  task.facts.gated = !pod.spec.scheduling_gates.empty();
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
  if (!task.job_name.empty()) record.group = intern_job(pod.meta.ns, task.job_name);
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
  const auto id = books_.intern_node(node.meta.name);
  node_infos_.resize(books_.node_count());
  nodes_changed_ = true;
  if (hidden || !in_shard(node.meta.labels)) {
    remove_node(id);
    return;
  }
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
  order.failed = is_failed(request);
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

// --------------------------------------------------------------------------------------------------- up to date

void Cluster::refresh(Timestamp now) {
  now_ = now;
  refresh_devices();
  if (nodes_changed_) order_nodes();
  if (queues_changed_) {
    queue_tree_.build(queues_, options_.full_hierarchy ? QueueTree::Levels::kAll : QueueTree::Levels::kWithoutDepartments, now);
    queues_changed_ = false;
    groups_changed_ = true;
  }
  link_jobs();
  for (const auto pod : terminating_)
    if (!books_.removed(pod)) unsettled_.push_back(pod);
  const auto unsettled = std::exchange(unsettled_, {});
  for (const auto pod : unsettled)
    if (!books_.removed(pod)) settle_pod(pod);
  rebuild_shared_nodes();
  reset_jobs();
  recycle();
  books_.trim_log();
  if (options_.csi_storage) storage_.open(*this);
}

// What the last cycle learned is forgotten, and what queues are charged is told anew.
void Cluster::reset_jobs() {
  for (const auto id : in_order_) {
    if (!watch_.was_due(id)) continue;
    auto& job = jobs_[id];
    job.stamps = job.written;
    job.stale = job.stamps.stale_since.has_value();
    job.errors.clear();
    job.uncounted = 0;
    job.forget_next();
    amounts_[id] = {job.queue, job.preemptible, job.held.quantities(), job.waiting.quantities(), job.waiting.gpu_mib};
  }
}

void Cluster::order_nodes() {
  nodes_changed_ = false;
  nodes_by_name_.clear();
  least_gpu_memory_ = most_gpu_memory_ = 0;
  constexpr std::int64_t kNoMemory = 100;  // what nodes that do not say are given
  for (const auto id : IdRange<NodeId>(books_.node_count())) {
    if (!known(id)) continue;
    nodes_by_name_.push_back(id);
    const auto memory = node_infos_[id].gpu_memory;
    if (memory <= kNoMemory) continue;
    least_gpu_memory_ = least_gpu_memory_ == 0 ? memory : std::min(least_gpu_memory_, memory);
    most_gpu_memory_ = std::max(most_gpu_memory_, memory);
  }
  std::sort(nodes_by_name_.begin(), nodes_by_name_.end(),
            [&](NodeId left, NodeId right) { return books_.node(left).name < books_.node(right).name; });
  name_ranks_.assign(books_.node_count(), 0);
  for (std::size_t rank = 0; rank < nodes_by_name_.size(); ++rank)
    name_ranks_[nodes_by_name_[rank]] = static_cast<std::uint32_t>(rank);
}

void Cluster::link_jobs() {
  if (std::exchange(groups_changed_, false)) unlinked_ = in_order_;
  if (unlinked_.empty()) return;
  for (const auto id : std::exchange(unlinked_, {})) {
    auto& job = jobs_[id];
    link_job(job);
    const bool takes_part = job.listed && !is_backing_off(job);
    listings_[id] = !takes_part ? Listing::kNot : job.queue ? Listing::kListed : Listing::kWithoutQueue;
    watch_.note(id);
  }
  list_jobs();
}

// Where queues stand is only put right when they come to the top, so it matters in which order jobs are taken in. The original has
// none; here it is by age, and not by arrival.
void Cluster::list_jobs() {
  const auto is_older = [&](GroupId left, GroupId right) {
    const auto& l = jobs_[left];
    const auto& r = jobs_[right];
    return std::tie(l.created, l.name, l.ns) < std::tie(r.created, r.name, r.ns);
  };
  if (!std::is_sorted(in_order_.begin(), in_order_.end(), is_older)) std::sort(in_order_.begin(), in_order_.end(), is_older);
  listed_.clear();
  without_queue_.clear();
  for (const auto id : in_order_) {
    if (listings_[id] != Listing::kNot) listed_.push_back(id);
    if (listings_[id] == Listing::kWithoutQueue) without_queue_.push_back(id);
  }
}

void Cluster::conditions_changed(const Job& job) {
  if (job.backoff != -1) unlinked_.push_back(job.id);
}

// A job of an unknown queue has no priority and is not preemptible.
void Cluster::link_job(Job& job) {
  job.groups.resolve_levels(topologies_);
  job.queue = queue_tree_.find(job.queue_name);
  job.priority = 0;
  job.preemptible = false;
  if (!job.queue) return;
  const auto found = priority_classes_.find(job.priority_class);
  const auto fallback = global_defaults_.empty() ? kDefaultJobPriority : global_defaults_.begin()->second;
  job.priority = found == priority_classes_.end() ? fallback : found->second;
  job.preemptible = job.preemptibility.empty() ? job.priority < kNonPreemptibleFrom : job.preemptibility == "preemptible";
}

DomainRooms* Cluster::domain_rooms(const std::string& topology) {
  const auto found = topologies_.find(topology);
  if (found == topologies_.end()) return nullptr;
  auto& rooms = domain_rooms_[topology];
  if (rooms == nullptr || !rooms->is_current()) rooms = std::make_unique<DomainRooms>(*this, found->second);
  return rooms.get();
}

// --------------------------------------------------------------------------------------------------------- jobs

GroupId Cluster::intern_job(const std::string& ns, const std::string& name) {
  auto key = options_.behaviour.keeps(Quirk::kMixedNamespaces) ? name : ns + "/" + name;
  if (const auto known = job_names_.find(key)) return known;
  const auto id = books_.add_group(name);
  job_names_.set(key, id);
  if (id.index() == jobs_.size()) {
    jobs_.push_back({});
    watch_.add_job();
    amounts_.push_back({});
    listings_.push_back(Listing::kNot);
  }
  auto& job = jobs_[id];
  job.id = id;
  job.key = std::move(key);
  job.name = name;
  return id;
}

PodId Cluster::find_pod(std::string_view key) const {
  const auto found = pod_names_.find(std::string(key));
  return found == pod_names_.end() ? PodId() : found->second;
}

void Cluster::join_job(PodId pod) {
  auto& task = tasks_[pod];
  const auto group = books_.pod(pod).group;
  if (!group || task.pod_set) return;
  auto& job = jobs_[group];
  task.pod_set = job.groups.find_pod_set(task.sub_group);
  if (!task.pod_set) return;
  job.groups.add_pod(task.pod_set, pod, task.status);
  count_sums(job, pod, task.status, +1);
  job.forget_next();
  watch_.note(group);
}

void Cluster::leave_job(PodId pod) {
  auto& task = tasks_[pod];
  if (!task.pod_set) return;
  auto& job = jobs_[books_.pod(pod).group];
  count_sums(job, pod, task.status, -1);
  job.groups.remove_pod(task.pod_set, pod, task.status);
  task.pod_set = SubGroupId();
  job.forget_next();
  watch_.note(job.id);
}

JobSums Cluster::request_sums(PodId pod) const {
  const auto& gpu = tasks_[pod].gpu;
  const auto& request = books_.shape_of(pod).request;
  return {request.get(kCpu), request.get(kMemory), std::llround(gpu.quota() * 100),
          gpu.kind == GpuKind::kMemory ? gpu.memory * gpu.devices : 0};
}

void Cluster::count_sums(Job& job, PodId pod, Status status, std::int64_t sign) {
  if (status == Status::kPending || status == Status::kGated) watch_.count_waiting(job.id, sign);
  if (status == Status::kPending) job.waiting.add(request_sums(pod), sign);
  if (!kQuotaAllocated.contains(status)) return;
  job.held.add(tasks_[pod].accepted_sums, sign);
  job.requested.add(request_sums(pod), sign);
}

void Cluster::set_status(PodId pod, Status status) {
  auto& task = tasks_[pod];
  if (task.pod_set) {
    auto& job = jobs_[books_.pod(pod).group];
    count_sums(job, pod, task.status, -1);
    count_sums(job, pod, status, +1);
    job.groups.change(task.pod_set, task.status, status);
    job.forget_next();
    watch_.note(job.id);
    if (!job.changed) {
      job.changed = true;
      changed_.push_back(job.id);
    }
  }
  task.status = status;
}

std::vector<GroupId> Cluster::take_changed_jobs() {
  for (const auto id : changed_) jobs_[id].changed = false;
  return std::exchange(changed_, {});
}

// ------------------------------------------------------------------------------------------------------- places

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
  auto& task = tasks_[pod];
  auto* held = task.place_on(node);
  MUSTER_DCHECK(held != nullptr);
  if (held->in_books)
    books_.unaccount(pod);
  else
    books_.discharge(node, books_.pod(pod).shape, state_of(held->status));
  if (storage_.active()) storage_.remove(pod, node, held->status, held->planned);
  if (held->devices) device_refs_.remove(node, node_infos_[node], *held->devices, gpus_charged(task), held->status);
  if (task.gpu.shared()) sharing_.remove(node, node_infos_[node], task.gpu, held->groups, held->status);
  if (books_.pod(pod).present_on == node) books_.depart(pod);
  task.places.erase(task.places.begin() + (held - task.places.data()));
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
  while (!tasks_[pod].places.empty()) unplace(pod, tasks_[pod].places.back().node);
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

NodeId Cluster::derived_node(const Task& task) const {
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
  task.node = derived_node(task);
  task.extended.reset();
  if (devices_.has_claims(pod)) task.devices = claimed_devices(pod);
  task.groups = bind_lives(task) && !task.bind->groups.empty() ? task.bind->groups : task.facts.groups;
  const auto status = derived_status(task);
  set_status(pod, status);
  if (kActiveUsed.contains(status) && known(task.node)) place(pod, task.node, status);
  note_shared(task);
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
