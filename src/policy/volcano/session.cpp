#include "policy/volcano/session.h"

#include <algorithm>

#include "policy/volcano/devices/device_books.h"
#include "policy/volcano/placement_rules.h"
#include "policy/volcano/registry.h"
#include "policy/volcano/status.h"

namespace muster::volcano {
namespace {

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
  }
  return std::nullopt;
}

}  // namespace

Session::Session(Cluster& cluster, const Config& config, Timestamp now, Memory& memory)
    : cluster_(cluster), config_(config), now_(now), memory_(memory) {}

Session::~Session() = default;

// ---------------------------------------------------------------------------------------------- opening, closing

void Session::open() {
  cluster_.refresh();
  books().trim_log();
  if (memory_.classes == nullptr || memory_.classes_for != &config_ || memory_.rules_version != cluster_.rules_version()) {
    memory_.rules_version = cluster_.rules_version();
    for (const auto id : IdRange<GroupId>(cluster_.job_count())) cluster_.job(id).stuck.reset();  // their stamps are void
    memory_.classes = std::make_shared<ClassTable>();
    memory_.index = make_index_memory();
    memory_.classes_for = &config_;
  }
  attended_.assign(cluster_.job_count(), 0);
  for (const auto id : cluster_.take_changed_jobs()) attend(id);
  cluster_.open_jobs().for_each([&](std::size_t id) { attend(GroupId(id)); });
  build_plugins();
  for (auto& [name, plugin] : plugins_) plugin->open();
  rules_ = std::make_unique<SessionRules>(books(), *memory_.classes, chain(Point::kPredicate), chain(Point::kNodeOrder),
                                          chain(Point::kBatchNodeOrder));
  search_ = memory_.search == SearchKind::kReference ? make_reference_search(books(), cluster_.fits(), *rules_, work_)
                                                     : make_index_search(books(), cluster_.fits(), *rules_, work_, memory_.index);
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

void Session::close() {
  // An action after allocate may have placed pods of a job that allocate left alone.
  for (const auto id : attention_) {
    auto& job = cluster_.job(id);
    if (job.still_stuck && job.stuck->count != books().group(id).count) job.take_notes();
    // Whoever had no turn is written about without the reasons of an earlier cycle, so those are not good for the next one either.
    if (job.stuck && !job.still_stuck && !job.notes) job.stuck.reset();
  }
  for (auto& [name, plugin] : plugins_) plugin->close();
  close_jobs(*this);
  close_queues(*this);
  undo_kept();
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
    books().unaccount(*pod);
    cluster_.move(*pod, PodState::kPending, NodeId());
    notify_deallocate(*pod);
  }
  planned_.clear();
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
  auto annotations = cluster_.devices() == nullptr ? nullptr : cluster_.devices()->bind_annotations(pod);
  outbox_.push_back(Decision{Decision::Kind::kBind, pod, node, rule, std::move(annotations)});
  attend(books().pod(pod).group);
  return true;
}

void Session::allocate_and_dispatch(PodId pod, NodeId node, std::string_view rule) {
  cluster_.move(pod, PodState::kAllocated, node);
  books().account(pod, node, PodState::kAllocated);
  notify_allocate(pod);
  plan(pod);
  const auto& job = cluster_.job_of(pod);
  if (!job_ready(job)) return;
  const auto pods = books().group(job.id).pods;
  for (const auto other : pods)
    if (books().pod(other).state == PodState::kAllocated && !bind(other, rule)) return;
}

bool Session::task_order_is_fixed() const {
  const auto& plugins = chain(Point::kTaskOrder);
  return std::all_of(plugins.begin(), plugins.end(), [](const Plugin* plugin) { return plugin->task_order_is_fixed(); });
}

void Session::set_phase(Job& job, Phase phase) {
  job.status.phase = phase;
  books().touch_group(job.id);
  attend(job.id);
}

void Session::record_event(const Job& job, std::string_view type, std::string_view reason, Text message) {
  writes_.events.push_back(GroupEvent{job.id, type, reason, std::move(message)});
}

}  // namespace muster::volcano
