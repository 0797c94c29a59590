#include "policy/volcano/session.h"

#include <algorithm>

#include "engine/heap.h"
#include "engine/pod_order.h"
#include "policy/volcano/devices/device_books.h"
#include "policy/volcano/job_domains.h"
#include "policy/volcano/observed_search.h"
#include "policy/volcano/placement_rules.h"
#include "policy/volcano/plugins/gang.h"
#include "policy/volcano/registry.h"
#include "policy/volcano/status.h"

namespace muster::volcano {
namespace {

// Answers about a class of pods and a node that are kept at most from cycle to cycle. Most classes come back; those of pods that
// are gone do not.
constexpr std::size_t kMostRemembered = 32'000'000;

void keep_named(std::vector<PodId>& pods, const std::vector<PodId>& named) {
  const boost::unordered_flat_set<PodId> set(named.begin(), named.end());
  std::erase_if(pods, [&](PodId pod) { return !set.contains(pod); });
}

CycleObserver* watcher_of(CycleObserver* observer) { return observer != nullptr && observer->watches_parts() ? observer : nullptr; }

// The switch that guards a point; none: always asked.
std::optional<Hook> guard_of(Point point) {
  switch (point) {
    case Point::kJobOrder: return Hook::kJobOrder;
    case Point::kTaskOrder: return Hook::kTaskOrder;
    case Point::kQueueOrder: return Hook::kQueueOrder;
    case Point::kJobValid: return std::nullopt;
    case Point::kJobReady: return Hook::kJobReady;
    case Point::kJobPipelined: return Hook::kJobPipelined;
    case Point::kJobEnqueueable:
    case Point::kJobEnqueued: return Hook::kJobEnqueued;
    case Point::kOverused: return Hook::kOverused;
    case Point::kAllocatable: return Hook::kAllocatable;
    case Point::kPrePredicate:
    case Point::kPredicate: return Hook::kPredicate;
    case Point::kNodeOrder:
    case Point::kBatchNodeOrder: return Hook::kNodeOrder;
    case Point::kJobStarving: return Hook::kJobStarving;
    case Point::kPreemptive: return Hook::kPreemptive;
    case Point::kPreemptable: return Hook::kPreemptable;
    case Point::kReclaimable: return Hook::kReclaimable;
    case Point::kVictimTasks: return Hook::kVictim;
    case Point::kSubJobOrder: return Hook::kSubJobOrder;
    case Point::kSubJobReady: return Hook::kSubJobReady;
    case Point::kSubJobPipelined: return Hook::kSubJobPipelined;
    case Point::kHyperNodeOrder: return Hook::kHyperNodeOrder;
    case Point::kHyperNodeGradient: return Hook::kHyperNodeGradient;
    case Point::kGangEvictable:
    case Point::kVictimQueueOrder:
    case Point::kCount: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Session::Session(Cluster& cluster, const Config& config, Timestamp now, Memory& memory)
    : cluster_(cluster), config_(config), now_(now), memory_(memory), twins_(cluster) {}

Session::~Session() = default;

// ---------------------------------------------------------------------------------------------- opening, closing

void Session::open(CycleObserver* observer) {
  forget_gone(cluster_, memory_);
  refresh_domains(cluster_);
  const bool too_many = memory_.classes != nullptr && memory_.classes->size() * books().node_count() > kMostRemembered;
  if (memory_.classes == nullptr || memory_.classes_for != &config_ || memory_.rules_version != cluster_.rules_version() ||
      too_many) {
    memory_.rules_version = cluster_.rules_version();
    for (const auto id : IdRange<GroupId>(cluster_.job_count())) cluster_.job(id).stuck.reset();  // their stamps are void
    memory_.classes = std::make_shared<ClassTable>();
    memory_.index = make_index_memory();
    memory_.classes_for = &config_;
  }
  attended_.assign(cluster_.job_count(), 0);
  served_.assign(cluster_.job_count(), 0);
  for (const auto id : cluster_.take_changed_jobs()) attend(id);
  cluster_.open_jobs().for_each([&](std::size_t id) { attend(GroupId(id)); });
  build_plugins();
  auto* watcher = watcher_of(observer);
  for (auto& [name, plugin] : plugins_) {
    const WatchedPart part(watcher, CycleObserver::Part::kPluginOpens, name);
    plugin->open();
  }
  rules_ = std::make_unique<SessionRules>(books(), *memory_.classes, chain(Point::kPredicate), chain(Point::kNodeOrder),
                                          chain(Point::kBatchNodeOrder));
  if (watcher != nullptr) rules_ = observed(std::move(rules_), *watcher);
  search_ = memory_.search == SearchKind::kReference ? make_reference_search(books(), cluster_.fits(), *rules_, work_)
                                                     : make_index_search(books(), cluster_.fits(), *rules_, work_, memory_.index);
  if (watcher != nullptr) search_ = observed(std::move(search_), *watcher);
}

void Session::build_plugins() {
  for (auto& chain : chains_) chain.tiers.resize(config_.tiers.size());
  for (const auto& tier : config_.tiers)
    for (const auto& option : tier.plugins) {
      auto plugin = make_plugin(option, *this);
      if (plugin == nullptr) continue;  // unknown, and said so when the configuration was read
      // Of a plugin that is listed twice the later one answers, for both listings.
      const auto known =
          std::find_if(plugins_.begin(), plugins_.end(), [&](const auto& entry) { return entry.first == option.name; });
      if (known != plugins_.end())
        known->second = std::move(plugin);
      else
        plugins_.emplace_back(option.name, std::move(plugin));
    }
  for (std::size_t t = 0; t < config_.tiers.size(); ++t)
    for (const auto& option : config_.tiers[t].plugins) {
      const auto known =
          std::find_if(plugins_.begin(), plugins_.end(), [&](const auto& entry) { return entry.first == option.name; });
      if (known == plugins_.end()) continue;
      for (std::size_t p = 0; p < kPointCount; ++p) {
        const auto point = static_cast<Point>(p);
        const auto guard = guard_of(point);
        if (!known->second->points().contains(point) || (guard && !option.enabled(*guard))) continue;
        chains_[p].tiers[t].push_back(known->second.get());
        chains_[p].flat.push_back(known->second.get());
      }
    }
}

void Session::close(CycleObserver* observer) {
  // An action after allocate may have placed pods of a job that allocate left alone.
  for (const auto id : attention_) {
    auto& job = cluster_.job(id);
    if (job.still_stuck && job.stuck->count != books().group(id).count) job.take_notes();
    // Whoever had no turn is written about without the reasons of an earlier cycle, so those are not good for the next one either.
    if (job.stuck && !job.still_stuck && !job.notes) job.stuck.reset();
  }
  for (auto& [name, plugin] : plugins_) {
    const WatchedPart part(watcher_of(observer), CycleObserver::Part::kPluginCloses, name);
    plugin->close();
  }
  close_jobs(*this);
  close_queues(*this);
  for (const auto& decision : outbox_)
    if (decision.kind == Decision::Kind::kBind) cluster_.confirm_devices(decision.pod);
  undo_kept();
  forget_nominations();
  for (const auto id : attention_) {
    auto& job = cluster_.job(id);
    job.notes.reset();
    job.still_stuck = false;
  }
}

void Session::undo_kept() {
  for (auto statement = kept_.rbegin(); statement != kept_.rend(); ++statement) statement->release();
  kept_.clear();
  for (auto pod = planned_.rbegin(); pod != planned_.rend(); ++pod) {
    const auto state = books().pod(*pod).state;
    if (state != PodState::kAllocated && state != PodState::kPipelined) continue;
    take_back(*pod);
  }
  planned_.clear();
  restore_victims();
  twins_.forget();
}

// A pod whose eviction was tried and taken back is again what it was; one that is really leaving is still on its node.
void Session::restore_victims() {
  for (const auto& [pod, state, present] : victims_) {
    const auto& record = books().pod(pod);
    if (record.state != PodState::kReleasing && record.state != state) cluster_.restate(pod, state);
    if (present && !record.present_on) books().arrive(pod, record.node);
  }
  victims_.clear();
  remembered_victims_.clear();
}

void Session::attend(GroupId job) {
  if (attended_[job]) return;
  attended_[job] = 1;
  attention_.push_back(job);
}

// -------------------------------------------------------------------------------------------------------- orders

bool Session::job_before(GroupId left, GroupId right) {
  for (auto* plugin : chain(Point::kJobOrder)) {
    const double l = plugin->job_rank(cluster_.job(left));
    const double r = plugin->job_rank(cluster_.job(right));
    if (l != r) return l < r;
  }
  return older(left, right);
}

bool Session::older(GroupId left, GroupId right) const {
  const auto& l = cluster_.job(left).created;
  const auto& r = cluster_.job(right).created;
  return l != r ? l < r : books().group(left).name < books().group(right).name;
}

bool Session::queue_before(QueueId left, QueueId right) {
  for (auto* plugin : chain(Point::kQueueOrder))
    if (const int order = plugin->compare_queues(left, right); order != 0) return order < 0;
  const auto& l = cluster_.queue(left);
  const auto& r = cluster_.queue(right);
  if (l.created != r.created) return l.created < r.created;
  return l.name < r.name;
}

bool Session::task_before(PodId left, PodId right) {
  for (auto* plugin : chain(Point::kTaskOrder))
    if (const int order = plugin->compare_tasks(left, right); order != 0) return order < 0;
  const auto& l = cluster_.task(left).name_index;
  const auto& r = cluster_.task(right).name_index;
  if (l && r && *l != *r) return *l < *r;
  const auto& lp = books().pod(left);
  const auto& rp = books().pod(right);
  if (lp.created != rp.created) return lp.created < rp.created;
  return lp.uid < rp.uid;
}

int Session::compare_jobs(GroupId left, GroupId right) {
  for (auto* plugin : chain(Point::kJobOrder)) {
    const double l = plugin->job_rank(cluster_.job(left));
    const double r = plugin->job_rank(cluster_.job(right));
    if (l != r) return l < r ? -1 : 1;
  }
  return 0;
}

bool Session::loses_before(QueueId left, QueueId right, QueueId taker) {
  for (auto* plugin : chain(Point::kVictimQueueOrder))
    if (const int order = plugin->compare_victim_queues(left, right, taker); order != 0) return order < 0;
  return !queue_before(left, right);
}

// Victims come from the queue that would be served last, there from the job that would be served last, there the task that would.
bool Session::goes_before(PodId left, PodId right, QueueId taker) {
  const auto l = books().pod(left).group;
  const auto r = books().pod(right).group;
  if (l == r) return !task_before(left, right);
  const auto lq = cluster_.job(l).queue;
  const auto rq = cluster_.job(r).queue;
  if (lq != rq && taker) return loses_before(lq, rq, taker);
  if (const int order = compare_jobs(l, r); order != 0) return order > 0;
  return !task_before(left, right);
}

std::vector<PodId> Session::victims_in_order(GroupId taker, std::vector<PodId> candidates) {
  if (candidates.size() < 2) return candidates;
  // The order of tasks is not transitive when only some names are numbered, so the start decides too: it must not be accidental.
  std::sort(candidates.begin(), candidates.end(), [&](PodId l, PodId r) {
    return books().pod(l).uid != books().pod(r).uid ? books().pod(l).uid < books().pod(r).uid : is_older(books(), l, r);
  });
  VictimLine line(*this, taker, candidates);
  candidates.clear();
  while (!line.empty()) candidates.push_back(line.pop());
  return candidates;
}

VictimLine::VictimLine(Session& session, GroupId taker, std::span<const PodId> victims)
    : heap_(Before{&session, session.cluster().job(taker).queue}) {
  for (const auto pod : victims) heap_.push(pod);
}

bool VictimLine::Before::operator()(PodId left, PodId right) const { return session->goes_before(left, right, taker); }

// ----------------------------------------------------------------------------------------------------- questions

bool Session::vote(Point point, const std::function<Vote(Plugin&)>& ask) const {
  bool permitted = false;
  for (const auto& tier : of(point).tiers) {
    for (auto* plugin : tier) {
      const auto answer = ask(*plugin);
      if (answer == Vote::kReject) return false;
      permitted |= answer == Vote::kPermit;
    }
    if (permitted) return true;
  }
  return true;
}

bool Session::job_valid(const Job& job) {
  const auto& plugins = chain(Point::kJobValid);
  return std::all_of(plugins.begin(), plugins.end(), [&](Plugin* plugin) { return plugin->job_valid(job); });
}

bool Session::job_ready(const Job& job) {
  const auto& plugins = chain(Point::kJobReady);
  return std::all_of(plugins.begin(), plugins.end(), [&](Plugin* plugin) { return plugin->job_ready(job); });
}

bool Session::job_pipelined(const Job& job) {
  return vote(Point::kJobPipelined, [&](Plugin& plugin) { return plugin.job_pipelined(job); });
}

bool Session::sub_job_before(const SubJob& left, const SubJob& right) {
  for (auto* plugin : chain(Point::kSubJobOrder))
    if (const int order = plugin->compare_sub_jobs(left, right); order != 0) return order < 0;
  return left.match_index != right.match_index ? left.match_index < right.match_index : left.name < right.name;
}

bool Session::sub_job_ready(const Job& job, const SubJob* sub_job) {
  if (sub_job == nullptr || !job.sub_jobs->has_policies()) return job_ready(job);
  const auto& plugins = chain(Point::kSubJobReady);
  return std::all_of(plugins.begin(), plugins.end(), [&](Plugin* plugin) { return plugin->sub_job_ready(*sub_job); });
}

bool Session::sub_job_pipelined(const Job& job, const SubJob* sub_job) {
  if (sub_job == nullptr || !job.sub_jobs->has_policies()) return job_pipelined(job);
  return vote(Point::kSubJobPipelined, [&](Plugin& plugin) { return plugin.sub_job_pipelined(*sub_job); });
}

Gradients Session::gradients(const Job& job, HyperNodeId within, Purpose purpose) {
  const auto& plugins = chain(Point::kHyperNodeGradient);
  return plugins.empty() ? Gradients{{within}} : plugins.front()->gradients(job, within, purpose);
}

Gradients Session::gradients(const Job& job, const SubJob* sub_job, HyperNodeId within, Purpose purpose) {
  const auto& plugins = chain(Point::kHyperNodeGradient);
  return plugins.empty() || sub_job == nullptr ? Gradients{{within}} : plugins.front()->gradients(job, *sub_job, within, purpose);
}

std::vector<double> Session::hyper_node_scores(const SubJob* sub_job, std::span<const HyperNodeId> domains) {
  std::vector<double> scores(domains.size(), 0.0);
  if (sub_job != nullptr)
    for (auto* plugin : chain(Point::kHyperNodeOrder)) plugin->add_hyper_node_order(*sub_job, domains, scores);
  return scores;
}

void Session::nominate(Job& job, SubJob* sub_job, HyperNodeId domain) {
  (sub_job == nullptr ? job.nominated : sub_job->nominated) = domain;
  nominated_.push_back(job.id);
}

void Session::forget_nominations() {
  for (const auto id : nominated_) {
    auto& job = cluster_.job(id);
    job.nominated = HyperNodeId();
    if (job.sub_jobs)
      for (auto& sub_job : job.sub_jobs->all()) sub_job.nominated = HyperNodeId();
  }
  nominated_.clear();
}

bool Session::job_enqueueable(const Job& job) {
  return vote(Point::kJobEnqueueable, [&](Plugin& plugin) { return plugin.job_enqueueable(job); });
}

void Session::job_enqueued(const Job& job) {
  for (auto* plugin : chain(Point::kJobEnqueued)) plugin->job_enqueued(job);
}

bool Session::overused(QueueId queue) {
  const auto& plugins = chain(Point::kOverused);
  return std::any_of(plugins.begin(), plugins.end(), [&](Plugin* plugin) { return plugin->overused(queue); });
}

bool Session::allocatable(QueueId queue, PodId pod) {
  const auto& plugins = chain(Point::kAllocatable);
  return std::all_of(plugins.begin(), plugins.end(), [&](Plugin* plugin) { return plugin->allocatable(queue, pod); });
}

bool Session::simulate_allocatable(QueueId queue, PodId pod) {
  const auto& plugins = chain(Point::kAllocatable);
  return std::all_of(plugins.begin(), plugins.end(), [&](Plugin* plugin) { return plugin->simulate_allocatable(queue, pod); });
}

bool Session::is_prepared(PodId pod) const {
  const auto& plugins = chain(Point::kPrePredicate);
  return std::all_of(plugins.begin(), plugins.end(), [&](const Plugin* plugin) { return plugin->is_prepared(pod); });
}

Verdict Session::predicate(PodId pod, NodeId node) {
  Verdict verdict;
  rules_->judge(pod, node, Dependence::kHistory, verdict);
  return verdict;
}

bool Session::simulate_predicate(PodId pod, NodeId node) {
  const auto& plugins = chain(Point::kPredicate);
  return std::all_of(plugins.begin(), plugins.end(), [&](const Plugin* plugin) { return plugin->simulate_predicate(pod, node); });
}

// The first tier that has anything to say decides.
bool Session::job_starving(const Job& job) {
  for (const auto& tier : of(Point::kJobStarving).tiers)
    if (!tier.empty()) return std::all_of(tier.begin(), tier.end(), [&](Plugin* plugin) { return plugin->job_starving(job); });
  return false;
}

bool Session::preemptive(QueueId queue, std::span<const PodId> pods) {
  const auto& plugins = chain(Point::kPreemptive);
  return std::all_of(plugins.begin(), plugins.end(), [&](Plugin* plugin) { return plugin->preemptive(queue, pods); });
}

// Within a tier only those go whom everybody gives up. Two traps of the original are kept because decisions rest on them: naming
// nobody is no veto but leaves the tier, and after an empty intersection the next plugin starts afresh.
std::vector<PodId> Session::elect(Point point, std::span<const PodId> candidates, const Ask& ask) const {
  std::vector<PodId> victims;
  for (const auto& tier : of(point).tiers) {
    for (auto* plugin : tier) {
      auto ballot = ask(*plugin, candidates);
      if (ballot.vote == Vote::kAbstain) continue;
      if (ballot.victims.empty()) {
        victims.clear();
        break;
      }
      if (victims.empty())
        victims = std::move(ballot.victims);
      else
        keep_named(victims, ballot.victims);
    }
    if (!victims.empty()) return victims;
  }
  return victims;
}

// Leaves only candidates whom every plugin gives up that speaks for them, whatever its tier.
std::vector<PodId> Session::unprotected(Point point, std::vector<PodId> left, const Ask& ask) const {
  if (behaviour().keeps(Quirk::kBypassedProtection)) return left;
  for (auto* plugin : chain(point)) {
    if (left.empty()) break;
    if (plugin->protects()) keep_named(left, ask(*plugin, left).victims);
  }
  return left;
}

// Leaves out whom this cycle has placed or promised room, with the whole job: evicted now, it would have been served for nothing.
// Within its own job a pod may take another one's place.
std::vector<PodId> Session::unserved(std::span<const PodId> candidates, GroupId taker) const {
  std::vector<PodId> left(candidates.begin(), candidates.end());
  if (behaviour().keeps(Quirk::kBrokenPromises)) return left;
  std::erase_if(left, [&](PodId pod) {
    const auto job = books().pod(pod).group;
    return job && job != taker && served_[job] != 0;
  });
  return left;
}

// Gang is left out: what a gang can do without is not decided pod by pod here.
std::vector<PodId> Session::unprotected(std::span<const PodId> candidates, GroupId taker) const {
  auto left = unserved(candidates, taker);
  const auto ask_through = [&](Point point, auto ask) {
    left = unprotected(point, std::move(left), [&](Plugin& plugin, std::span<const PodId> pods) {
      const GangDemand nobody{GangDemand::Kind::kPreempt, GroupId()};
      return plugin.points().contains(Point::kGangEvictable) ? plugin.gang_evictable(nobody, pods) : ask(plugin, pods);
    });
  };
  ask_through(Point::kPreemptable, [](Plugin& plugin, std::span<const PodId> pods) { return plugin.preemptable(PodId(), pods); });
  ask_through(Point::kReclaimable, [](Plugin& plugin, std::span<const PodId> pods) { return plugin.reclaimable(PodId(), pods); });
  return left;
}

std::vector<PodId> Session::preemptable(PodId preemptor, std::span<const PodId> candidates) {
  const Ask ask = [&](Plugin& plugin, std::span<const PodId> pods) { return plugin.preemptable(preemptor, pods); };
  return elect(Point::kPreemptable, unprotected(Point::kPreemptable, unserved(candidates, books().pod(preemptor).group), ask), ask);
}

// Where nobody else may go, the tiers decide about jobs that are no gangs: gang names none of them, and so leaves them to the next.
std::vector<PodId> Session::reclaimable(PodId reclaimer, std::span<const PodId> candidates) {
  const Ask ask = [&](Plugin& plugin, std::span<const PodId> pods) { return plugin.reclaimable(reclaimer, pods); };
  const auto open = unserved(candidates, books().pod(reclaimer).group);
  auto victims = elect(Point::kReclaimable, unprotected(Point::kReclaimable, open, ask), ask);
  const auto& plugins = chain(Point::kReclaimable);
  auto* gang = plugin<Gang>("gang");
  const bool done = !victims.empty() || behaviour().keeps(Quirk::kBypassedProtection);
  if (done || std::find(plugins.begin(), plugins.end(), gang) == plugins.end()) return victims;
  const auto surplus = ask(*gang, open).victims;
  auto alone = open;
  std::erase_if(alone,
                [&](PodId pod) { return gang->shields(pod) || std::find(surplus.begin(), surplus.end(), pod) != surplus.end(); });
  for (auto* plugin : plugins)
    if (plugin->protects() && plugin != gang) keep_named(alone, ask(*plugin, alone).victims);
  return elect(Point::kReclaimable, alone, ask);
}

// Of the plugins that protect pods, cool-down and budgets have nothing to say about gangs in the original. They are asked what they
// would say about a single pod then.
std::vector<PodId> Session::gang_evictable(const GangDemand& demand, std::span<const PodId> candidates) {
  const Ask ask = [&](Plugin& plugin, std::span<const PodId> pods) { return plugin.gang_evictable(demand, pods); };
  auto left = unprotected(Point::kGangEvictable, unserved(candidates, demand.job), ask);
  const bool preempts = demand.kind == GangDemand::Kind::kPreempt;
  const auto point = preempts ? Point::kPreemptable : Point::kReclaimable;
  const Ask ask_single = [&](Plugin& plugin, std::span<const PodId> pods) {
    if (plugin.points().contains(Point::kGangEvictable)) return Ballot{Vote::kPermit, {pods.begin(), pods.end()}};
    return preempts ? plugin.preemptable(PodId(), pods) : plugin.reclaimable(PodId(), pods);
  };
  left = unprotected(point, std::move(left), ask_single);
  return elect(Point::kGangEvictable, left, ask);
}

// All that the plugins of a tier name; the first tier that names anybody decides.
std::vector<PodId> Session::victim_tasks(std::span<const PodId> running) {
  std::vector<PodId> victims;
  boost::unordered_flat_set<PodId> named;
  for (const auto& tier : of(Point::kVictimTasks).tiers) {
    for (auto* plugin : tier)
      for (const auto pod : plugin->victim_tasks(running))
        if (named.insert(pod).second) victims.push_back(pod);
    if (!victims.empty()) return victims;
  }
  return victims;
}

std::optional<std::string> Session::pre_predicate(PodId pod) {
  for (auto* plugin : chain(Point::kPrePredicate))
    if (auto error = plugin->pre_predicate(pod)) return error;
  return std::nullopt;
}

// ------------------------------------------------------------------------------------------------------- effects

bool Session::notify_allocate(PodId pod) {
  bool accepted = true;
  for (auto& [name, plugin] : plugins_) accepted &= plugin->on_allocate(pod);
  return accepted;
}

void Session::notify_deallocate(PodId pod) {
  for (auto& [name, plugin] : plugins_) plugin->on_deallocate(pod);
}

void Session::notify_eviction_undone(PodId pod) {
  for (auto& [name, plugin] : plugins_) plugin->on_eviction_undone(pod);
}

void Session::remember_victim(PodId pod) {
  const auto& record = books().pod(pod);
  if (remembered_victims_.insert(pod).second) victims_.push_back({pod, record.state, static_cast<bool>(record.present_on)});
}

void Session::evict(PodId pod, std::string_view rule, const Beneficiary& for_whom) {
  outbox_.push_back(Decision{Decision::Kind::kEvict, pod, books().pod(pod).node, rule, for_whom, nullptr});
  attend(books().pod(pod).group);
  if (for_whom.group && !behaviour().keeps(Quirk::kGivenAwayRoom)) memory_.promised.try_emplace(for_whom.group);
  auto message = behaviour().keeps(Quirk::kBareEvictEvent) ? std::string(rule) : eviction_text(pod, rule, for_whom);
  record_event(cluster_.job_of(pod), "Normal", "Evict", std::make_shared<const std::string>(std::move(message)));
  writes_.events.back().evicted = pod;
}

void Session::promise(GroupId job) {
  const auto promise = memory_.promised.find(job);
  if (promise == memory_.promised.end()) return;
  promise->second = Promise();
  for (const auto pod : books().group(job).pods) {
    const auto& record = books().pod(pod);
    if (record.state == PodState::kPipelined || record.state == PodState::kAllocated)
      promise->second.places.emplace(pod, record.node);
  }
}

NodeId Session::promised_node(PodId pod) const {
  if (memory_.promised.empty()) return NodeId();
  const auto promise = memory_.promised.find(books().pod(pod).group);
  if (promise == memory_.promised.end()) return NodeId();
  const auto place = promise->second.places.find(pod);
  return place == promise->second.places.end() ? NodeId() : place->second;
}

std::string Session::eviction_text(PodId pod, std::string_view rule, const Beneficiary& for_whom) const {
  std::string text = std::string(rule) + ": " + books().pod(pod).name + " on " + books().node(books().pod(pod).node).name;
  if (for_whom.pod)
    return text + " makes room for pod " + books().pod_key(for_whom.pod) + " of " + books().group(for_whom.group).name;
  if (for_whom.group) return text + " makes room for the gang " + books().group(for_whom.group).name;
  return text;
}

// A bind is checked once more against what is really decided: placements that are only planned do not count there.
bool Session::still_fits_cluster(PodId pod) const {
  const auto& record = books().pod(pod);
  for (const auto& [resource, amount] : books().shape(record.shape).request) {
    auto idle = books().ledgers().idle[resource.index()][record.node.index()];
    if (idle >= 0) continue;
    for (const auto other : books().pods_on(record.node))
      if (other != pod && books().pod(other).accounted_as == PodState::kAllocated &&
          books().pod(other).state == PodState::kAllocated)
        idle += books().shape_of(other).request.get(resource);
    if (idle < 0) return false;
  }
  return true;
}

bool Session::bind(PodId pod, std::string_view rule) {
  if (!still_fits_cluster(pod)) return false;
  const auto node = books().pod(pod).node;
  cluster_.move(pod, PodState::kBinding, node);
  auto annotations = cluster_.shared_devices() == nullptr ? nullptr : cluster_.shared_devices()->bind_annotations(pod);
  outbox_.push_back(Decision{Decision::Kind::kBind, pod, node, rule, {}, std::move(annotations)});
  attend(books().pod(pod).group);
  served_[books().pod(pod).group] = 1;
  return true;
}

void Session::allocate_and_dispatch(PodId pod, NodeId node, std::string_view rule) {
  cluster_.move(pod, PodState::kAllocated, node);
  books().account(pod, node, PodState::kAllocated);
  if (!notify_allocate(pod) && !behaviour().keeps(Quirk::kRefusedAllTheSame)) {
    take_back(pod);
    return;
  }
  plan(pod);
  const auto& job = cluster_.job_of(pod);
  if (!job_ready(job)) return;
  const auto pods = books().group(job.id).pods;
  tally_.placed.push_back(job.id);
  for (const auto other : pods)
    if (books().pod(other).state == PodState::kAllocated && !bind(other, rule)) return;
}

void Session::plan(PodId pod) {
  planned_.push_back(pod);
  if (const auto job = books().pod(pod).group) served_[job] = 1;
}

void Session::keep(Statement statement) {
  for (const auto pod : statement.placed())
    if (const auto job = books().pod(pod).group) served_[job] = 1;
  kept_.push_back(std::move(statement));
}

void Session::take_back(PodId pod) {
  ++work_.undo_steps;
  books().unaccount(pod);
  cluster_.move(pod, PodState::kPending, NodeId());
  notify_deallocate(pod);
}

bool Session::task_order_is_fixed() const {
  const auto& plugins = chain(Point::kTaskOrder);
  return std::all_of(plugins.begin(), plugins.end(), [](const Plugin* plugin) { return plugin->task_order_is_fixed(); });
}

bool Session::undoes_cleanly() const {
  return std::all_of(plugins_.begin(), plugins_.end(), [](const auto& entry) { return entry.second->undoes_cleanly(); });
}

Dependence Session::filter_dependence(PodId pod) const { return rules_->filter_dependence(pod); }

void Session::set_phase(Job& job, Phase phase) {
  job.status.phase = phase;
  books().touch_group(job.id);
  attend(job.id);
}

void Session::warn(std::string sentence) {
  constexpr std::size_t kMost = 20;
  auto& warnings = writes_.warnings;
  if (warnings.size() < kMost && std::find(warnings.begin(), warnings.end(), sentence) == warnings.end())
    warnings.push_back(std::move(sentence));
}

void Session::record_event(const Job& job, std::string_view type, std::string_view reason, Text message) {
  writes_.events.push_back(GroupEvent{job.id, type, reason, std::move(message)});
}

}  // namespace muster::volcano
