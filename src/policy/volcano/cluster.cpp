#include "policy/volcano/cluster.h"

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "engine/devices/pod_claims.h"
#include "policy/volcano/annotation_keys.h"
#include "policy/volcano/csi_attachments.h"
#include "policy/volcano/devices/device_books.h"
#include "policy/volcano/kube_rules.h"
#include "policy/volcano/numa/numa_books.h"
#include "policy/volcano/pod_intake.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kTaskPriority = "volcano.sh/task-priority";
constexpr std::string_view kTemplateUid = "volcano.sh/template-uid";
constexpr std::string_view kQueueGate = "scheduling.volcano.sh/queue-allocation-gate";
constexpr std::string_view kOwnPrefix = "volcano.sh/";
constexpr std::int32_t kDefaultTaskPriority = 1;

// An annotation, or else a label, of the same key.
const std::string* annotation_or_label(const ObjectMeta& meta, std::string_view key) {
  const auto* value = meta.annotations.find(key);
  return value != nullptr ? value : meta.labels.find(key);
}

std::int32_t task_priority(const Pod& pod) {
  std::int32_t priority = pod.spec.priority.value_or(kDefaultTaskPriority);
  if (const auto* text = pod.meta.annotations.find(kTaskPriority)) {
    std::int32_t value = 0;
    const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error == std::errc() && stop == text->data() + text->size()) priority = value;
  }
  return priority;
}

StringMap own_annotations(const StringMap& all) {
  StringMap own;
  for (const auto& [key, value] : all)
    if (key.rfind(kOwnPrefix, 0) == 0) own.set(key, value);
  return own;
}

bool is_pushed_out(const std::vector<Condition>& conditions) {
  for (const auto& condition : conditions)
    if (condition.type == "DisruptionTarget") return condition.status == "True" && condition.reason == "PreemptionByScheduler";
  return false;
}

Task task_of(const Pod& pod) {
  Task task;
  task.name_index = name_index(pod.meta.name);
  task.nominated_node = pod.status.nominated_node;
  if (const auto* text = annotation_or_label(pod.meta, kPreemptableKey)) task.preemptable = parses_true(*text);
  task.may_preempt = pod.spec.preemption_policy != "Never";
  const auto& priority_class = pod.spec.priority_class;
  task.system_critical = priority_class == "system-cluster-critical" || priority_class == "system-node-critical";
  task.pod_priority = pod.spec.priority.value_or(0);
  task.names_priority = pod.spec.priority.has_value();
  task.phase_running = pod.status.phase == "Running";
  task.pushed_out = pod.meta.deleted && is_pushed_out(pod.status.conditions);
  task.only_own_gate = pod.spec.scheduling_gates.size() == 1 && pod.spec.scheduling_gates.front() == kQueueGate;
  if (const auto* uid = pod.meta.annotations.find(kTemplateUid); uid != nullptr && !uid->empty()) task.template_uid = *uid;
  task.annotations = own_annotations(pod.meta.annotations);
  task.started = pod.status.start_time;
  for (const auto& condition : pod.status.conditions) {
    if (condition.type != "PodScheduled") continue;
    if (condition.status == "True" && !task.scheduled) task.scheduled = condition.last_transition;
    if (condition.status == "False") {
      task.condition_reason = condition.reason;
      task.condition_message = std::make_shared<const std::string>(condition.message);
    }
  }
  return task;
}

ShardMode parse_shard_mode(const std::string& text) {
  if (text == "hard") return ShardMode::kHard;
  if (text == "soft") return ShardMode::kSoft;
  return ShardMode::kNone;
}

// Oversubscription adds to what a node offers, whether or not it is switched on by label.
void add_oversubscription(const Node& node, Amounts& allocatable) {
  const auto add = [&](std::string_view key, ResourceId id) {
    if (const auto* text = node.meta.annotations.find(key)) {
      double value = 0;
      const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), value);
      const bool parsed = error == std::errc() && stop == text->data() + text->size();
      if (parsed && value >= 0 && value <= static_cast<double>(kLargestAmount))
        allocatable.add(id, static_cast<std::int64_t>(value));
    }
  };
  add("volcano.sh/oversubscription-cpu", kCpu);
  add("volcano.sh/oversubscription-memory", kMemory);
}

}  // namespace

Accounting volcano_accounting() {
  Accounting accounting;
  accounting.rules[static_cast<std::size_t>(PodState::kReleasing)] = {true, true, false};
  accounting.rules[static_cast<std::size_t>(PodState::kPipelined)] = {false, false, true};
  return accounting;
}

bool remember_for(const Config& config, ClusterOptions& options) {
  options.devices = device_settings(config);
  for (const auto& tier : config.tiers)
    for (const auto& plugin : tier.plugins) options.numa |= plugin.name == "numa-aware";
  return options.devices.any() || options.numa;
}

Cluster::Cluster(ClusterOptions options)
    : options_(std::move(options)),
      books_(volcano_accounting()),
      kube_rules_(std::make_unique<KubeRules>(books_, fits_, namespaces_, volumes_, devices_)),
      shard_mode_(parse_shard_mode(options_.shard_mode)) {
  if (options_.devices.any()) shared_devices_ = std::make_unique<DeviceBooks>(options_.devices, books_);
  if (options_.numa) numa_ = std::make_unique<NumaBooks>(books_);
}

Cluster::~Cluster() = default;

// ------------------------------------------------------------------------------------------------------ objects

void Cluster::apply(const Object& object) {
  const bool read_by_filters = std::holds_alternative<Namespace>(object) || std::holds_alternative<StorageClass>(object) ||
                               std::holds_alternative<PersistentVolume>(object) || std::holds_alternative<CsiNode>(object) ||
                               std::holds_alternative<PersistentVolumeClaim>(object) || std::holds_alternative<NodeShard>(object);
  if (read_by_filters) ++rules_version_;
  attachments_stale_ |= settled_ && read_by_filters && !attached_.empty();
  struct Visitor {
    Cluster& cluster;
    void operator()(const Pod& pod) { cluster.apply_pod(pod); }
    void operator()(const Node& node) { cluster.apply_node(node); }
    void operator()(const PodGroup& group) { cluster.apply_group(group); }
    void operator()(const Queue& queue) { cluster.apply_queue(queue); }
    void operator()(const PriorityClass& c) {
      cluster.priority_classes_[c.meta.name] = c.value;
      cluster.global_defaults_.erase(c.meta.name);
      if (c.global_default) cluster.global_defaults_[c.meta.name] = c.value;
      if (cluster.settled_) cluster.for_each_job([&](Job& job) { cluster.update_priority(job); });
    }
    void operator()(const ResourceQuota& quota) { cluster.quotas_[quota.meta.ns][quota.meta.name] = quota; }
    void operator()(const Namespace& ns) { cluster.namespaces_.set(ns); }
    void operator()(const StorageClass& c) { cluster.volumes_.set(c); }
    void operator()(const CsiDriver&) {}
    void operator()(const CsiStorageCapacity&) {}
    void operator()(const PersistentVolume& volume) { cluster.volumes_.set(volume); }
    void operator()(const PersistentVolumeClaim& claim) { cluster.volumes_.set(claim); }
    void operator()(const CsiNode& node) {
      cluster.volumes_.set(node);
      if (const auto id = cluster.books_.find_node(node.meta.name); id && cluster.books_.node(id).known)
        cluster.set_node(id, cluster.books_.node(id));
    }
    void operator()(const NodeShard& shard) {
      cluster.shards_[shard.meta.name] = shard;
      cluster.shards_stale_ = true;
    }
    void operator()(const PodDisruptionBudget& budget) { cluster.budgets_[budget.meta.ns][budget.meta.name] = budget; }
    void operator()(const HyperNode& node) { cluster.hyper_tree_.set(node); }
    void operator()(const ResourceClaim& claim) { cluster.apply_claim(claim); }
    void operator()(const ResourceSlice& slice) { cluster.devices_.set(slice); }
    void operator()(const DeviceClass& device_class) { cluster.devices_.set(device_class); }
    void operator()(const Numatopology& topology) {
      if (cluster.numa_) cluster.numa_->set(topology);
    }
    void operator()(const ConfigMap& map) {
      if (cluster.shared_devices_) cluster.shared_devices_->take_config_map(map);
    }
    // Of other dialects.
    void operator()(const KaiQueue&) {}
    void operator()(const KaiPodGroup&) {}
    void operator()(const BindRequest&) {}
    void operator()(const KaiTopology&) {}
    void operator()(const NodeResourceTopology&) {}
  };
  std::visit(Visitor{*this}, object);
}

void Cluster::settle() {
  settled_ = true;
  if (shared_devices_ && shared_devices_->find_managed()) drop_managed_resources();
  for (const auto& pod : std::exchange(deferred_, {})) apply_pod(pod);
  for_each_job([&](Job& job) {  // its queue and its priority class may have come after it
    if (job.has_pod_group) link_queue(job), update_priority(job);
  });
  apply_shards();
  hyper_tree_.update(books_);
}

// Nodes keep the order in which their objects came, and volumes and devices are counted by what their claims say: pods that would
// run ahead of them wait until the batch is complete.
bool Cluster::must_wait(const Pod& pod) const {
  if (settled_) return false;
  if (options_.devices.hami_npu) return true;  // what it asks for depends on the devices that there are
  if (!pod.spec.node_name.empty() && !books_.find_node(pod.spec.node_name)) return true;
  if (!pod.spec.resource_claims.empty()) return true;
  return std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(),
                     [](const Volume& volume) { return !volume.claim.empty() || volume.ephemeral; });
}

std::optional<std::string> Cluster::missing_claim(const Pod& pod) const {
  for (const auto& claim : device_claims_of(pod)) {
    if (claim.source == PodClaim::Source::kUnknown) return std::string();
    const bool missing = claim.source == PodClaim::Source::kNotGenerated || claim.source == PodClaim::Source::kNotNeeded ||
                         devices_.claim(claim.key) == nullptr;
    if (missing) return claim.source == PodClaim::Source::kNamed ? std::optional(claim.key) : std::nullopt;
  }
  return std::nullopt;
}

void Cluster::apply_claim(const ResourceClaim& claim) {
  devices_.set(claim);
  const auto waiting = waiting_for_claim_.extract(claim.meta.ns + "/" + claim.meta.name);
  if (waiting.empty()) return;
  for (const auto& key : waiting.mapped())
    if (const auto pod = without_claim_.extract(key)) apply_pod(pod.mapped());
}

void Cluster::apply_pod(const Pod& pod) {
  const auto& names = options_.scheduler_names;
  const bool ours = std::find(names.begin(), names.end(), pod.spec.scheduler_name) != names.end();
  if (!ours && pod.spec.node_name.empty()) {  // waits for another scheduler
    if (settled_) remove(Gone<Pod>{pod.meta.ns, pod.meta.name});
    return;
  }
  if (must_wait(pod)) {
    deferred_.push_back(pod);
    return;
  }
  const auto key = pod.meta.ns + "/" + pod.meta.name;
  if (!pod.spec.resource_claims.empty())
    if (const auto missing = missing_claim(pod)) {
      if (const auto known = find_pod(key)) remove_pod(known);
      forget_waiting(key);
      without_claim_[key] = pod;
      waiting_for_claim_[*missing].insert(key);
      return;
    }
  forget_waiting(key);
  const auto node = pod.spec.node_name.empty() ? NodeId() : books_.intern_node(pod.spec.node_name);
  const auto [place, added] = pod_names_.try_emplace(key);
  if (!added) {
    const auto known = place->second;
    // An assumed pod is not disturbed until its node shows up on the API server; another pod of the same name takes its place.
    const bool assumed = kHoldingStates.contains(books_.pod(known).state) && books_.pod(known).uid == pod.meta.uid;
    if (assumed && pod.spec.node_name.empty() && state_of(pod) != PodState::kFailed && state_of(pod) != PodState::kSucceeded)
      return;
    retire_pod(known);
  }

  Amounts attachments;
  add_attachments(pod, volumes_, options_.ignored_provisioners, books_, attachments);
  auto record = record_of(pod, attachments);
  record.node = node;
  const auto state = record.state;
  const auto id = books_.add_pod(std::move(record));
  place->second = id;
  if (id.index() == tasks_.size())
    tasks_.push_back(task_of(pod));
  else
    tasks_[id] = task_of(pod);
  note_claims(id, pod, std::move(attachments));
  if (shared_devices_) shared_devices_->take_pod(id, pod), shared_devices_->pods_changed(node);
  if (numa_) numa_->take_pod(id, pod);
  count_role(id, +1);
  if (node && state != PodState::kSucceeded && state != PodState::kFailed) {
    books_.account(id, node, state);
    books_.arrive(id, node);
  }
}

PodRecord Cluster::record_of(const Pod& pod, const Amounts& attachments) {
  PodRecord record;
  record.name = pod.meta.name;
  record.uid = pod.meta.uid;
  record.ns = books_.symbols().intern(pod.meta.ns);
  record.created = pod.meta.created;
  if (shared_devices_ && shared_devices_->manages_resources()) {
    auto stripped = pod;
    shared_devices_->strip(stripped);
    record.shape = books_.intern_shape(shape_of(stripped, attachments, books_));
  } else {
    record.shape = books_.intern_shape(shape_of(pod, attachments, books_));
  }
  record.labels = books_.intern_labels(record.ns, pod.meta.labels);
  record.terms = books_.intern_terms(terms_of(pod));
  if (const auto group = group_name_of(pod); !group.empty()) {
    record.group = intern_job(pod.meta.ns + "/" + std::string(group));
    jobs_[record.group].workload.take_pod(pod);
  }
  if (const auto role = role_name_of(pod); !role.empty()) record.role = books_.symbols().intern(role);
  record.priority = task_priority(pod);
  record.state = state_of(pod);
  record.gated = !pod.spec.scheduling_gates.empty();
  record.terminating = pod.meta.deleted.has_value();
  return record;
}

// What is looked at again when a claim changes that the pod names.
void Cluster::note_claims(PodId id, const Pod& pod, Amounts attachments) {
  if (!pod.spec.resource_claims.empty()) {
    const auto claims = device_claims_of(pod);
    devices_.set_pod(id, claims);
    const bool names_any =
        std::any_of(claims.begin(), claims.end(), [](const PodClaim& claim) { return claim.source == PodClaim::Source::kNamed; });
    if (names_any) claimants_[id] = pod;
  }
  if (books_.shape_of(id).claims.empty()) return;
  auto& attached = attached_[id];
  attached.pod.meta.ns = pod.meta.ns;
  attached.pod.meta.name = pod.meta.name;
  attached.pod.spec.volumes = pod.spec.volumes;
  attached.attachments = std::move(attachments);
}

void Cluster::apply_node(const Node& node) {
  if (!options_.node_selector.empty()) {
    const auto wanted = [&](const std::string& item) {
      const auto colon = item.find(':');
      return colon != std::string::npos && node.meta.labels.contains(item.substr(0, colon)) &&
             node.meta.labels.get(item.substr(0, colon)) == item.substr(colon + 1);
    };
    if (std::none_of(options_.node_selector.begin(), options_.node_selector.end(), wanted)) return remove_node(node.meta.name);
  }
  NodeRecord record;
  record.name = node.meta.name;
  record.labels = node.meta.labels;
  record.taints = node.taints;
  record.unschedulable = node.unschedulable;
  record.images = node.images;
  const auto id = enter_node(node.meta.name);
  if (!node_extras_.contains(id)) node_extras_.resize(id.index() + 1);
  set_node_amounts(id, node);
  if (shared_devices_) {
    shared_devices_->take_node(id, node);
    if (settled_ && shared_devices_->find_managed()) drop_managed_resources();
    if (shared_devices_->manages_resources()) {
      auto stripped = node;
      shared_devices_->strip(stripped.allocatable);
      shared_devices_->strip(stripped.capacity);
      set_node_amounts(id, stripped);
    }
  }
  set_node(id, std::move(record));
  shards_stale_ = true;
}

void Cluster::set_node_amounts(NodeId id, const Node& node) {
  auto& extras = node_extras_[id];
  extras.own = amounts_of(node.allocatable, books_);
  add_oversubscription(node, extras.own);
  extras.capacity = amounts_of(node.capacity, books_);
  add_oversubscription(node, extras.capacity);
}

// Some node has devices whose resources are managed by themselves: from now on no node offers them as such.
void Cluster::drop_managed_resources() {
  for (const auto id : IdRange<NodeId>(node_extras_.size())) {
    if (!books_.node(id).known) continue;
    auto node = shared_devices_->node(id);
    shared_devices_->strip(node.allocatable);
    shared_devices_->strip(node.capacity);
    set_node_amounts(id, node);
    set_node(id, books_.node(id));
  }
  for_each_job([&](Job& job) {
    if (!job.min_resource_list) return;
    job.min_amounts = counted(*job.min_resource_list);
    job.min_resources = Resource(job.min_amounts);
    books_.renew_group(job.id);
  });
}

void Cluster::set_device_config(DeviceConfig config) {
  if (shared_devices_) shared_devices_->set_config(std::move(config));
}

// A node offers what its object says and what its storage drivers allow, whichever of the two came last.
void Cluster::set_node(NodeId id, NodeRecord record) {
  auto& extras = node_extras_[id];
  extras.allocatable = extras.own;
  if (const auto* limits = volumes_.csi_node(record.name)) add_attachment_limits(*limits, books_, extras.allocatable);
  books_.set_node(id, std::move(record), extras.allocatable);
}

// A list without what only devices count.
Amounts Cluster::counted(const ResourceList& list) {
  if (!shared_devices_ || !shared_devices_->manages_resources()) return amounts_of(list, books_);
  auto stripped = list;
  shared_devices_->strip(stripped);
  return amounts_of(stripped, books_);
}

void Cluster::apply_group(const PodGroup& group) {
  auto& job = jobs_[intern_job(group.meta.ns + "/" + group.meta.name)];
  job.has_pod_group = true;
  job.uid = group.meta.uid;
  job.workload.of_group = workload_of(group.meta);
  job.created = group.meta.created;
  job.annotations = group.meta.annotations;
  job.labels = group.meta.labels;
  job.min_available = group.min_member;
  job.forget_role_minimums();
  for (const auto& [name, minimum] : group.min_task_member) {
    const auto symbol = name.empty() ? SymbolId() : books_.symbols().intern(name);  // of pods without a role
    auto* role = job.find_role(symbol);
    if (role == nullptr) role = &job.roles.emplace_back(Role{symbol, 0, false, {}, 0});
    role->minimum = minimum;
    role->has_minimum = true;
    job.role_minimum_total += minimum;
  }
  job.queue_name = group.queue.empty() ? options_.default_queue : group.queue;
  job.priority_class = group.priority_class;
  job.min_resource_list = group.min_resources;
  job.min_resources.reset();
  job.min_amounts.clear();
  if (group.min_resources) {
    job.min_amounts = counted(*group.min_resources);
    job.min_resources = Resource(job.min_amounts);
  }
  divide(job, group);
  job.status = GroupStatus{phase_of(group.phase), group.running, group.succeeded, group.failed, {}};
  for (const auto& condition : group.conditions) job.status.conditions.push_back(std::make_shared<const Condition>(condition));
  job.written = job.status;
  job.never_written = group.phase.empty();
  link_queue(job);
  update_priority(job);
  books_.renew_group(job.id);
}

void Cluster::divide(Job& job, const PodGroup& group) {
  if (!group.topology && group.sub_groups.empty()) {
    if (job.sub_jobs) std::erase(divided_jobs_, job.id);
    job.sub_jobs.reset();
    return;
  }
  if (!job.sub_jobs) {
    job.sub_jobs = std::make_unique<SubJobs>();
    divided_jobs_.push_back(job.id);
  }
  job.sub_jobs->set(group.min_member, group.topology, group.sub_groups);
}

void Cluster::apply_queue(const Queue& queue) {
  const auto known = queue_names_.size();
  const auto id = queue_names_.intern(queue.meta.name);
  if (queue_names_.size() != known) queues_.push_back({});
  auto& info = queues_[id];
  const bool appeared = !info.known;
  ++rules_version_;  // its node groups may have changed
  info.name = queue.meta.name;
  info.known = true;
  info.uid = queue.meta.uid;
  info.created = queue.meta.created;
  info.annotations = queue.meta.annotations;
  info.weight = queue.weight;
  info.priority = queue.priority;
  info.parent = queue.parent;
  info.open = queue.state == "Open";
  info.reclaimable = queue.reclaimable;
  info.capability = Resource(counted(queue.capability));
  info.deserved = Resource(counted(queue.deserved));
  info.guarantee = Resource(counted(queue.guarantee));
  info.devices = DeviceQuota(queue.capability, queue.deserved, queue.guarantee);
  info.affinity = queue.affinity;
  info.anti_affinity = queue.anti_affinity;
  info.has_affinity = queue.has_affinity;
  info.allocated = queue.allocated;
  if (!appeared || !settled_) return;
  for_each_job([&](Job& job) {
    if (job.has_pod_group && job.queue_name == info.name) link_queue(job), books_.renew_group(job.id);
  });
}

void Cluster::apply_shards() {
  shards_stale_ = false;
  shard_.resize(books_.node_count());
  const auto own = shards_.find(options_.shard_name);
  if (own == shards_.end()) return;
  for (const auto& name : own->second.nodes_desired)
    if (const auto node = books_.find_node(name); node && books_.node(node).known) shard_.set(node.index());
  for (const auto& [name, other] : shards_)
    if (name != options_.shard_name)
      for (const auto& used : other.nodes_in_use)
        if (const auto node = books_.find_node(used)) shard_.reset(node.index());
}

bool Cluster::node_names(NodeId node, ResourceId resource) const {
  const auto* known = extra(node);
  if (known != nullptr && known->allocatable.has(resource)) return true;
  const auto& pods = books_.pods_on(node);
  return std::any_of(pods.begin(), pods.end(), [&](PodId pod) { return books_.shape_of(pod).request.has(resource); });
}

const Amounts& Cluster::capacity(NodeId node) const {
  static const Amounts kNone;
  const auto* known = extra(node);
  return known == nullptr ? kNone : known->capacity;
}

void Cluster::set_usage(std::string_view node, const NodeUsage& usage) {
  const auto id = books_.find_node(node);
  if (!node_extras_.contains(id)) return;
  node_extras_[id].usage = usage;
}

const NodeUsage* Cluster::usage(NodeId node) const {
  const auto* known = extra(node);
  return known != nullptr && known->usage ? &*known->usage : nullptr;
}

bool Cluster::in_shard(NodeId node) const { return node.index() < shard_.size() && shard_.test(node.index()); }

// --------------------------------------------------------------------------------------------------------- jobs

GroupId Cluster::intern_job(const std::string& key) {
  if (const auto known = job_names_.find(key)) return known;
  const auto id = books_.add_group(key);
  job_names_.set(key, id);
  if (id.index() == jobs_.size()) {
    jobs_.push_back({});
    counted_.push_back({});
  }
  auto& job = jobs_[id];
  job.id = id;
  const auto slash = key.find('/');
  job.ns = key.substr(0, slash);
  job.name = key.substr(slash + 1);
  return id;
}

QueueId Cluster::find_queue(std::string_view name) const {
  const auto id = queue_names_.find(name);
  return id && queues_[id].known ? id : QueueId();
}

PodId Cluster::find_pod(std::string_view key) const {
  const auto found = pod_names_.find(std::string(key));
  return found == pod_names_.end() ? PodId() : found->second;
}

void Cluster::forget_written(GroupId job) {
  jobs_[job].never_written = true;
  books_.renew_group(job);
}

void Cluster::forget_written(PodId pod) {
  tasks_[pod].unwritten = true;
  if (const auto group = books_.pod(pod).group) books_.renew_group(group);
}

void Cluster::link_queue(Job& job) { job.queue = find_queue(job.queue_name); }

void Cluster::update_priority(Job& job) {
  const std::int32_t fallback = global_defaults_.empty() ? 0 : global_defaults_.begin()->second;
  const auto found = priority_classes_.find(job.priority_class);
  job.priority = !options_.priority_classes ? 0 : found == priority_classes_.end() ? fallback : found->second;
}

void Cluster::count_role(PodId pod, int sign) {
  const auto& record = books_.pod(pod);
  if (!record.group) return;
  auto& job = jobs_[record.group];
  auto* role = job.find_role(record.role);
  if (role == nullptr) role = &job.roles.emplace_back(Role{record.role, 0, false, {}, 0});
  const auto change = static_cast<std::uint32_t>(sign);
  if (record.gated) job.gated += change;
  role->count[static_cast<std::size_t>(record.state)] += change;
  if (job.sub_jobs) job.sub_jobs->note(books_, pod, record.state, sign);
  if (record.state == PodState::kPending && books_.shape(record.shape).best_effort) {
    role->waiting_best_effort += change;
    job.waiting_best_effort += change;
  }
}

// --------------------------------------------------------------------------------------------------------- pods

void Cluster::move(PodId pod, PodState state, NodeId node) {
  count_role(pod, -1);
  books_.set_state(pod, state, node);
  count_role(pod, +1);
}

void Cluster::restate(PodId pod, PodState state) {
  const auto node = books_.pod(pod).node;
  books_.unaccount(pod);
  move(pod, state, node);
  books_.account(pod, node, state);
}

void Cluster::pod_runs(PodId pod) {
  const auto node = books_.pod(pod).node;
  MUSTER_ASSERT(node);
  move(pod, PodState::kRunning, node);
  if (books_.pod(pod).accounted_on) books_.unaccount(pod);
  books_.account(pod, node, PodState::kRunning);
  if (books_.pod(pod).present_on != node) {
    if (books_.pod(pod).present_on) books_.depart(pod);
    books_.arrive(pod, node);
  }
  if (shared_devices_) shared_devices_->pod_runs(pod);
  auto& task = tasks_[pod];
  task.phase_running = true;
  task.nominated_node.clear();
  task.nomination_dropped = false;
  task.condition_reason.clear();
  task.condition_message.reset();
}

void Cluster::pod_terminates(PodId pod) {
  books_.set_terminating(pod, true);
  tasks_[pod].pushed_out = true;
  kube_rules_->relations.counts.on_terminating_changed(pod);
}

void Cluster::remove_pod(PodId pod) {
  if (numa_) numa_->pod_gone(pod);
  pod_names_.erase(books_.pod_key(pod));
  retire_pod(pod);
}

void Cluster::confirm_devices(PodId pod) { kube_rules_->dynamic_resources.confirm(pod); }

void Cluster::retire_pod(PodId pod) {
  if (shared_devices_) shared_devices_->pods_changed(books_.pod(pod).accounted_on), shared_devices_->forget_pod(pod);
  if (numa_) numa_->forget_pod(pod);
  kube_rules_->volume_binding.release(pod);
  kube_rules_->dynamic_resources.release(pod);
  devices_.remove_pod(pod);
  claimants_.erase(pod);
  attached_.erase(pod);
  count_role(pod, -1);
  const auto group = books_.pod(pod).group;
  books_.remove_pod(pod);
  if (!group) return;
  jobs_[group].drop_empty_roles();
  if (books_.group(group).pods.empty()) emptied_.push_back(group);
}

}  // namespace muster::volcano
