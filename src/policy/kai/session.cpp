#include "policy/kai/session.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "base/assert.h"
#include "base/wording.h"
#include "policy/kai/actions/node_classes.h"
#include "policy/kai/actions/scenario.h"
#include "policy/kai/cycle_observer.h"
#include "policy/kai/gpu_rooms.h"
#include "policy/kai/job_lists.h"
#include "policy/kai/original_text.h"
#include "policy/kai/registry.h"
#include "policy/kai/status_text.h"

namespace muster::kai {
namespace {

// Who a pod is now that was removed: its object may have changed since.
PodId successor(const Cluster& cluster, PodId pod) {
  const auto& books = cluster.books();
  const auto now = cluster.find_pod(books.pod_key(pod));
  return now && books.pod(now).uid == books.pod(pod).uid ? now : PodId();
}

// Whether a condition still says what this one would. How the queue stands is not looked at: it changes without anybody being told.
bool is_told(const KaiSchedulingCondition& known, const KaiSchedulingCondition& now, const std::vector<JobFitError>& errors,
             const Timestamp& time) {
  if (known.type != now.type || known.node_pool != now.node_pool || known.reason != now.reason || known.status != now.status)
    return false;
  if (!std::ranges::equal(known.reasons, errors, {}, &KaiSchedulingCondition::Reason::code,
                          [](const JobFitError& error) { return name_of(error.reason); }))
    return false;
  if (known.message == now.message) return true;
  const bool is_recent = known.last_transition && time.seconds - known.last_transition->seconds < kNumbersLast;
  return is_recent && without_numbers(known.message) == without_numbers(now.message);
}

std::int64_t transition_number(const KaiSchedulingCondition& condition) {
  std::int64_t number = 0;
  const auto& text = condition.transition_id;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string_view BindDetails::type() const {
  if (gpu.kind == GpuKind::kMig) return "MigInstance";
  return gpu.shared() ? "Fraction" : "Regular";
}

std::int64_t BindDetails::gpu_count() const { return gpu.kind == GpuKind::kMig ? 0 : gpu.devices; }

std::string BindDetails::gpu_portion() const {
  std::array<char, 32> text{};
  const auto part = gpu.kind == GpuKind::kMig ? 0 : portion;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), part, std::chars_format::fixed, 2);
  return {text.data(), end.ptr};
}

Session::Session(Cluster& cluster, const Config& config, Timestamp now, Memory& memory)
    : cluster_(cluster),
      config_(config),
      now_(now),
      memory_(memory),
      node_classes_(std::make_unique<NodeClasses>(*this)),
      job_lists_(std::make_unique<JobLists>(*this)),
      gpu_rooms_(std::make_unique<GpuRooms>(cluster)) {}

Session::~Session() = default;

void refresh(Cluster& cluster, Memory& memory, Timestamp now) {
  // Ids of nodes and pods that are gone may be those of others after the refresh.
  for (auto& promise : memory.promised.promises())
    for (auto& place : promise.places) {
      if (!cluster.known(place.node)) place.node = NodeId();
      if (place.pod && cluster.books().removed(place.pod)) place.pod = successor(cluster, place.pod);
    }
  cluster.refresh(now);
  for (const auto id : cluster.take_gone_jobs()) memory.promised.forget(id);
}

void Session::open(CycleObserver* observer) {
  refresh(cluster_, memory_, now_);
  if (!cluster_.unsupported().empty()) refuse(cluster_.unsupported());
  is_touched_.assign(books().pod_count(), 0);
  for (const auto id : cluster_.jobs_without_queue()) {
    auto& job = cluster_.job(id);
    cluster_.watch().note(id);
    const auto why = "Queue '" + job.queue_name + "' does not exist";
    job.fail(FitReason::kQueueDoesNotExist, why, why);
  }
  for (const auto& option : config_.plugins) {
    auto plugin = make_plugin(*this, option);
    if (plugin == nullptr) continue;
    const auto points = plugin->points();
    for (std::size_t point = 0; point < kPointCount; ++point)
      if (points.contains(static_cast<Point>(point))) chains_[point].push_back(plugin.get());
    plugins_.emplace_back(option.name, std::move(plugin));
  }
  MUSTER_ASSERT(chain(Point::kJobOrder).size() <= JobRanks().size());
  for (auto& [name, plugin] : plugins_) {
    if (observer != nullptr) observer->plugin_begins();
    plugin->open();
    if (observer != nullptr) observer->plugin_ended(CycleObserver::PluginTurn::kOpen, name);
  }
}

// ------------------------------------------------------------------------------------------------------- orders

bool Session::queue_before(const QueueSide& left, const QueueSide& right) {
  for (auto* plugin : chain(Point::kQueueOrder))
    if (const auto order = plugin->compare_queues(left, right); order != 0) return order < 0;
  const auto& l = cluster_.queues()[left.queue];
  const auto& r = cluster_.queues()[right.queue];
  return l.created == r.created ? l.name < r.name : l.created < r.created;
}

const JobRanks& Session::ranks_of(const Job& job) const {
  if (job.ranks) return *job.ranks;
  auto& ranks = job.ranks.emplace();
  std::size_t at = 0;
  for (const auto* plugin : chain(Point::kJobOrder)) ranks[at++] = plugin->job_rank(job);
  return ranks;
}

bool Session::job_before(const Job& left, const Job& right) {
  if (const auto &l = ranks_of(left), &r = ranks_of(right); l != r) return l < r;
  return std::tie(left.created, left.name, left.ns) < std::tie(right.created, right.name, right.ns);
}

bool Session::sub_group_before(const Job& job, SubGroupId left, SubGroupId right) {
  for (auto* plugin : chain(Point::kSubGroupOrder))
    if (const auto order = plugin->compare_sub_groups(job, left, right); order != 0) return order < 0;
  return job.part(left).name < job.part(right).name;
}

bool Session::task_before(PodId left, PodId right) {
  for (auto* plugin : chain(Point::kTaskOrder))
    if (const auto order = plugin->compare_tasks(left, right); order != 0) return order < 0;
  const auto& l = books().pod(left);
  const auto& r = books().pod(right);
  return l.created == r.created ? l.uid < r.uid : l.created < r.created;
}

std::vector<SubGroupId> Session::ordered_members(const Job& job, SubGroupId set) {
  auto members = job.part(set).children;
  if (members.size() > 1)
    std::sort(members.begin(), members.end(), [&](SubGroupId l, SubGroupId r) { return sub_group_before(job, l, r); });
  return members;
}

// ---------------------------------------------------------------------------------------------------- questions

void Session::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  work_.scores_computed += nodes.size();
  for (auto* plugin : chain(Point::kNodeOrder)) plugin->add_node_scores(pod, nodes, totals);
}

double Session::gpu_score(PodId pod, NodeId node, const GpuGroup* group) {
  double score = 0;
  for (auto* plugin : chain(Point::kGpuOrder)) score += plugin->gpu_score(pod, node, group);
  return score;
}

std::optional<CapacityRefusal> Session::job_over_capacity(const Job& job, std::span<const PodId> tasks) {
  const auto& asked = chain(Point::kJobOverCapacity);
  return asked.empty() ? std::nullopt : asked.front()->job_over_capacity(job, tasks);
}

std::optional<CapacityRefusal> Session::non_preemptible_over_quota(const Job& job, std::span<const PodId> tasks) {
  const auto& asked = chain(Point::kNonPreemptibleOverQuota);
  return asked.empty() ? std::nullopt : asked.front()->non_preemptible_over_quota(job, tasks);
}

std::optional<CapacityRefusal> Session::task_over_capacity(const Job& job, PodId pod, NodeId node) {
  const auto& asked = chain(Point::kTaskOverCapacity);
  return asked.empty() ? std::nullopt : asked.front()->task_over_capacity(job, pod, node);
}

CapacityNote Session::tell_capacity(const Job& job, const CapacityRefusal& refusal) const {
  const auto& asked = chain(Point::kJobOverCapacity);
  return asked.empty() ? CapacityNote() : asked.front()->tell_capacity(job, refusal);
}

Result<std::optional<std::vector<NodeSet>>> Session::subset_nodes(Job& job, SubGroupId part, std::span<const PodId> tasks,
                                                                  const NodeSet& nodes) {
  std::optional<std::vector<NodeSet>> sets;
  for (auto* plugin : chain(Point::kSubsetNodes)) {
    if (!sets) {
      auto first = plugin->subset_nodes(job, part, tasks, nodes);
      if (!first) return fail(first.error());
      sets = std::move(*first);
      continue;
    }
    std::vector<NodeSet> finer;
    for (auto& set : *sets) {
      auto subsets = plugin->subset_nodes(job, part, tasks, set);
      if (!subsets) return fail(subsets.error());
      if (!*subsets)
        finer.push_back(std::move(set));
      else
        std::move((*subsets)->begin(), (*subsets)->end(), std::back_inserter(finer));
    }
    sets = std::move(finer);
  }
  return sets;
}

void Session::pre_job_allocation(Job& job) {
  for (auto* plugin : chain(Point::kPreJobAllocation)) plugin->pre_job_allocation(job);
}

std::optional<std::string> Session::pre_predicate(PodId pod) {
  for (auto* plugin : chain(Point::kPrePredicate))
    if (auto refusal = plugin->pre_predicate(pod)) return refuser_ = plugin, refusal;
  return std::nullopt;
}

std::optional<std::string> Session::victim_invariant(PodId pod) {
  for (auto* plugin : chain(Point::kVictimInvariant))
    if (auto refusal = plugin->victim_invariant(pod)) return refuser_ = plugin, refusal;
  return std::nullopt;
}

FitStatus Session::predicate(PodId pod, NodeId node) {
  ++work_.nodes_judged;
  for (auto* plugin : chain(Point::kPredicate))
    if (const auto status = plugin->predicate(pod, node); !status.ok()) return refuser_ = plugin, status;
  return {};
}

NumaPlacement Session::numa_placement(PodId pod, NodeId node) {
  const auto& asked = chain(Point::kNumaPlacement);
  return asked.empty() ? NumaPlacement() : asked.front()->numa_placement(pod, node);
}

bool Session::can_reclaim(Job& job) {
  const auto& asked = chain(Point::kCanReclaim);
  return !asked.empty() && asked.front()->can_reclaim(job);
}

bool Session::could_reclaim(Job& reclaimer, const Job& victim, const Quantities& less) {
  const auto& asked = chain(Point::kCanReclaim);
  return !asked.empty() && asked.front()->could_reclaim(reclaimer, victim, less);
}

bool Session::reclaim_victim(Job& reclaimer, const Job& victim) {
  const auto& asked = chain(Point::kReclaimVictim);
  return std::all_of(asked.begin(), asked.end(), [&](Plugin* plugin) { return plugin->reclaim_victim(reclaimer, victim); });
}

bool Session::preempt_victim(Job& preemptor, const Job& victim) {
  const auto& asked = chain(Point::kPreemptVictim);
  return std::all_of(asked.begin(), asked.end(), [&](Plugin* plugin) { return plugin->preempt_victim(preemptor, victim); });
}

bool Session::reclaim_scenario(const Scenario& scenario) {
  const auto& asked = chain(Point::kReclaimScenario);
  return std::all_of(asked.begin(), asked.end(), [&](Plugin* plugin) { return plugin->reclaim_scenario(scenario); });
}

bool Session::preempt_scenario(const Scenario& scenario) {
  const auto& asked = chain(Point::kPreemptScenario);
  return std::all_of(asked.begin(), asked.end(), [&](Plugin* plugin) { return plugin->preempt_scenario(scenario); });
}

std::string Session::tell_shares(QueueId queue) const {
  const auto& asked = chain(Point::kCanReclaim);
  return asked.empty() ? std::string() : asked.front()->tell_shares(queue);
}

void Session::job_solution_start() {
  for (auto* plugin : chain(Point::kJobSolutionStart)) plugin->job_solution_start();
}

// -------------------------------------------------------------------------------------------------------- rooms

bool Session::fits(PodId pod, NodeId node, When when) const {
  const auto& ledgers = books().ledgers();
  const auto& request = books().shape_of(pod).request;
  const auto& task = cluster_.task(pod);
  const auto& info = cluster_.node_info(node);
  const auto n = node.index();
  const auto available = [&](std::size_t r) {
    const auto idle = ledgers.idle[r][n];
    return when == When::kNow ? idle : idle + ledgers.releasing[r][n] - ledgers.pipelined[r][n];
  };
  const bool shared = task.gpu.shared();
  auto asked = request.begin();
  for (std::size_t r = 0; r < ledgers.idle.size(); ++r) {
    std::int64_t amount = 0;
    if (asked != request.end() && asked->resource.index() == r) amount = (asked++)->amount;
    if (shared && r == cluster_.gpu().index()) continue;
    if (ledgers.allocatable[r][n] == 0 && (amount == 0 || cluster_.has_devices_for(ResourceId(r)))) continue;
    if (task.devices && r == cluster_.gpu().index()) amount -= DeviceRefs::shared(info, *task.devices) * kWholeGpu;
    if (amount > (ledgers.allocatable[r][n] == 0 ? 0 : available(r))) return false;
  }
  if (!shared) return true;
  if (!info.portion_valid(task.gpu) || (!keeps(Quirk::kTwoGpusInOne) && info.portion_of(task.gpu) > 1)) return false;
  const auto gpus = available(cluster_.gpu().index());
  const auto whole = gpus >= 0 ? gpus / kWholeGpu : -((-gpus + kWholeGpu - 1) / kWholeGpu);
  return GpuSharing::suffices(info, task.gpu, whole);
}

bool Session::fits_now(PodId pod, NodeId node) const {
  const auto& storage = cluster_.storage();
  return fits(pod, node, When::kNow) && (!storage.active() || storage.fits_now(cluster_, pod, node));
}

bool Session::fits_later(PodId pod, NodeId node) const {
  const auto& storage = cluster_.storage();
  return fits(pod, node, When::kLater) && (!storage.active() || storage.fits_later(cluster_, pod, node));
}

const GpuRooms& Session::gpu_rooms() {
  gpu_rooms_->refresh();
  return *gpu_rooms_;
}

// ------------------------------------------------------------------------------------------------------ effects

void Session::touch(PodId pod) {
  if (is_touched_[pod]) return;
  is_touched_[pod] = 1;
  touched_.push_back(pod);
}

void Session::notify_allocate(PodId pod) {
  for (auto* plugin : chain(Point::kEvents)) plugin->on_allocate(pod);
}

void Session::notify_deallocate(PodId pod) {
  for (auto* plugin : chain(Point::kEvents)) plugin->on_deallocate(pod);
}

void Session::decide_bind(PodId pod, std::string_view rule) {
  auto& task = cluster_.task(pod);
  const auto& info = cluster_.node_info(task.node);
  const auto numa = cluster_.numa_zones(pod);
  const auto extended = task.extended && task.extended->claim.allocation ? task.extended : nullptr;
  for (const auto group : task.groups) memory_.gpu_groups.keep(group);
  bind_details_.push_back({pod, task.gpu, task.groups, info.portion_of(task.gpu), numa, task.devices, extended});
  outbox_.push_back({Decision::Kind::kBind, pod, task.node, rule, {}, nullptr});
  cluster_.bind_ordered(pod, {task.node, task.gpu.shared() ? task.groups : GpuGroups(), false, numa, task.devices, extended});
  cluster_.set_status(pod, Status::kBinding);
  task.is_virtual = false;
}

// Who moves is planned for another node by now, and leaves the one where it is.
void Session::decide_eviction(PodId pod, std::string_view rule, const Beneficiary& for_whom) {
  auto& task = cluster_.task(pod);
  outbox_.push_back({Decision::Kind::kEvict, pod, cluster_.outside_node(pod), rule, for_whom, nullptr});
  eviction_texts_.push_back(eviction_text(*this, outbox_.back()));
  task.is_virtual = false;
  if (!task.facts.deleted) cluster_.pod_deleted(pod, now_);
  if (for_whom.group) cluster_.job_of(pod).stamps.last_eviction = now_;
}

void Session::evict_now(PodId pod, std::string_view rule) {
  touch(pod);
  const auto node = cluster_.task(pod).node;
  decide_eviction(pod, rule, {});
  cluster_.set_status(pod, Status::kReleasing);
  if (!cluster_.known(node)) return;
  if (cluster_.task(pod).place_on(node) != nullptr) cluster_.unplace(pod, node);
  cluster_.place(pod, node, Status::kReleasing);
  notify_deallocate(pod);
}

SymbolId Session::new_gpu_group() { return memory_.gpu_groups.open(books().symbols()); }

void Session::close_gpu_groups(NodeId node, const GpuGroups& groups) {
  auto& of_node = cluster_.node_info(node).groups;
  for (const auto id : groups) {
    const auto group = std::find_if(of_node.begin(), of_node.end(), [&](const GpuGroup& known) { return known.id == id; });
    if (group == of_node.end() || group->used != 0 || !memory_.gpu_groups.is_open(id)) continue;
    of_node.erase(group);
    memory_.gpu_groups.close(id);
  }
}

// ------------------------------------------------------------------------------------------------------ closing

void Session::warn(std::string text) {
  if (std::ranges::find(warnings_, text) == warnings_.end()) warnings_.push_back(std::move(text));
}

void Session::close(CycleObserver* observer) {
  for (auto& [name, plugin] : plugins_) {
    if (observer != nullptr) observer->plugin_begins();
    plugin->close();
    if (observer != nullptr) observer->plugin_ended(CycleObserver::PluginTurn::kClose, name);
  }
  for (const auto id : cluster_.listed_jobs())
    if (cluster_.watch().is_due(id)) close_job(cluster_.job(id));
  cluster_.watch().cycle_closed();
}

void Session::release() {
  cluster_.storage().close();
  cluster_.claims().restore();
  cluster_.reset_pods(touched_);
  memory_.gpu_groups.close_all();
}

// The original stops before it sends the stamps of a job that waits and is not ready.
void Session::close_job(Job& job) {
  const auto pending = job.count(Status::kPending);
  if (pending > 0 || job.count(Status::kGated) > 0) {
    if (!job.ready()) {
      if (!keeps(Quirk::kLostStaleStamps)) job.written = job.stamps;
      return;
    }
    if (job.count(kActiveAllocated) == 0) write_condition(job);
  } else if (job.count(Status::kAllocated) + job.count(Status::kPipelined) + job.count(Status::kBinding) == 0) {
    job.conditions.clear();
  }
  job.written = job.stamps;
}

// Says it once: as long as the last condition says the same, it stays as it is. Where only numbers have changed it stays for a
// minute: how many nodes have how much changes with every pod that comes or goes, for all jobs that wait.
void Session::write_condition(Job& job) {
  KaiSchedulingCondition condition;
  condition.type = "UnschedulableOnNodePool";
  condition.node_pool = pool_name(job);
  condition.reason = "Unschedulable";
  condition.status = "True";
  condition.message = unschedulable_text(job, cluster_.options().detailed_fit_errors ? Detail::kAll : Detail::kCounts);
  if (!job.conditions.empty() && is_told(job.conditions.back(), condition, job.errors, now_)) return;
  for (const auto& error : job.errors) {
    auto& reason = condition.reasons.emplace_back();
    reason.code = name_of(error.reason);
    for (const auto& sentence : error.told) reason.message.append(reason.message.empty() ? "" : ", ").append(sentence);
  }
  std::int64_t last = 0;
  for (const auto& known : job.conditions)
    last = std::clamp(transition_number(known), last, std::numeric_limits<std::int64_t>::max() - 1);
  condition.transition_id = std::to_string(last + 1);
  condition.last_transition = now_;
  std::erase_if(job.conditions, [&](const KaiSchedulingCondition& known) { return known.node_pool == condition.node_pool; });
  job.conditions.push_back(std::move(condition));
  cluster_.conditions_changed(job);
}

}  // namespace muster::kai
