#include "policy/kai/cluster.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "base/assert.h"
#include "policy/kai/domain_rooms.h"
#include "policy/kai/kube_rules.h"
#include "policy/kai/status_text.h"

namespace muster::kai {
namespace {

constexpr std::int32_t kDefaultJobPriority = 50;
constexpr std::int32_t kNonPreemptibleFrom = 100;

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
  return last != nullptr && last->node_pool == pool_name(job);
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
      sharing_(books_, gpu_,
               options_.behaviour.keeps(Quirk::kGuessedGpus) ? GpuSharing::Count::kBySums : GpuSharing::Count::kByGroup),
      device_refs_(books_, gpu_),
      offers_(*this) {
  kube_rules_ = std::make_unique<KubeRules>(books_, fits_, namespaces_, volumes_, devices_);
  claims_ = std::make_unique<ClaimBook>(devices_, kube_rules_->devices);
}

Cluster::~Cluster() = default;

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
  settle_on_new_nodes();
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
  if (std::exchange(groups_changed_, false)) {
    std::erase_if(unlinked_, [&](GroupId id) { return jobs_[id].has_group; });  // what is left is gone, and has to leave the lists
    unlinked_.insert(unlinked_.end(), in_order_.begin(), in_order_.end());
  }
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
  watch_.note(group);  // also of a pod for which it has no place: that has to be told
  if (!task.pod_set) return;
  job.groups.add_pod(task.pod_set, pod, task.status);
  count_sums(job, pod, task.status, +1);
  job.forget_next();
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

}  // namespace muster::kai
