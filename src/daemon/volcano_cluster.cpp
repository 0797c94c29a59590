#include "daemon/volcano_cluster.h"

#include <algorithm>

#include "app/config_file.h"
#include "app/extender_http.h"
#include "app/volcano_setup.h"
#include "codec/json_writer.h"
#include "daemon/gone_objects.h"
#include "daemon/pod_status.h"
#include "daemon/queue_defaults.h"
#include "daemon/volcano_effects.h"
#include "daemon/volcano_watch.h"

namespace muster::daemon {
namespace {

constexpr const char* kRootQueue = "root";
constexpr std::int64_t kAskForQueuesAgain = 10LL * 1'000'000'000;

Create queue_creation(const std::string& name, bool reclaimable) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().member("apiVersion", "scheduling.volcano.sh/v1beta1").member("kind", "Queue");
  json.key("metadata").begin_object().member("name", name).end_object();
  json.key("spec").begin_object().member("weight", 1).member("reclaimable", reclaimable).end_object().end_object();
  return {{.api_version = "scheduling.volcano.sh/v1beta1", .plural = "queues"}, name, std::move(body)};
}

void tell(const kube::Identity& pod, std::string_view reason, std::string note, const Timestamp& now, Effects& effects) {
  tell_unscheduled(pod, {.condition = reason, .event = "FailedScheduling", .note = std::move(note)}, now, effects);
}

}  // namespace

VolcanoCluster::VolcanoCluster(VolcanoSettings settings)
    : lenient_(settings.lenient),
      numbers_(std::move(settings.numbers)),
      make_extender_(std::move(settings.make_extender)),
      shares_(std::move(settings.share_names)) {
  volcano::remember_for(settings.config, settings.options);
  scheduler_ = std::make_unique<volcano::Scheduler>(std::make_unique<volcano::Cluster>(std::move(settings.options)),
                                                    std::move(settings.config), settings.behaviour, SearchKind::kIndex);
  ask_extender();
}

void VolcanoCluster::ask_extender() {
  if (!asks_extender(scheduler_->config())) return;
  scheduler_->set_extender(make_extender_ ? make_extender_() : std::make_shared<HttpExtender>());
}

bool VolcanoCluster::wants(const kube::ResourceKind& kind) const {
  const auto& options = scheduler_->cluster().options();
  if (kind.use == kube::KindUse::kKai) return false;
  if (kind.kind == "ConfigMap") return options.devices.any();
  if (kind.kind == "NodeShard") return options.shard_mode != "none";
  if (kind.kind == "PriorityClass") return options.priority_classes;
  return true;
}

void VolcanoCluster::apply(Object object) {
  if (auto* queue = std::get_if<Queue>(&object)) {
    complete(*queue);
    note_amounts(*queue);
  }
  if (const auto* group = std::get_if<PodGroup>(&object)) note_conditions(*group);
  auto& cluster = scheduler_->cluster();
  if (const auto* map = std::get_if<ConfigMap>(&object))
    if (!take_device_config(*map, cluster)) return;
  if (const auto* pod = std::get_if<Pod>(&object)) {
    sights_.held().note(*pod);
    if (numbers_ && is_ours(*pod)) numbers_->on_pod(*pod);
  }
  cluster.apply(object);
}

// What was written before counts until the object shows what was written last: that may never arrive.
void VolcanoCluster::note_amounts(const Queue& queue) {
  if (!queue.allocated) return;
  const auto& cluster = scheduler_->cluster();
  auto& names = queue_amounts_[queue.meta.name];
  const auto known = cluster.find_queue(queue.meta.name);
  if (known && cluster.queue(known).allocated == queue.allocated) names.clear();
  for (const auto& [name, amount] : *queue.allocated) names.insert(name);
}

void VolcanoCluster::note_conditions(const PodGroup& group) {
  if (std::ranges::find(group.conditions, kGangNotReady, &Condition::type) != group.conditions.end())
    shown_not_ready_.insert(group.meta.uid);
  else
    shown_not_ready_.erase(group.meta.uid);
}

bool VolcanoCluster::is_ours(const Pod& pod) const {
  const auto& names = scheduler_->cluster().options().scheduler_names;
  return std::find(names.begin(), names.end(), pod.spec.scheduler_name) != names.end();
}

void VolcanoCluster::remove(const kube::ResourceKind& kind, const kube::Identity& id) {
  if (numbers_) numbers_->on_gone(kind, id);
  if (kind.kind == "PodGroup") shown_not_ready_.erase(id.uid);
  if (kind.kind == "Pod") sights_.held().forget(id);
  scheduler_->cluster().remove(gone_object(kind, id));
}

// A pod that was given a node keeps it in the books, whatever older objects say, until it is removed.
void VolcanoCluster::take_back(const kube::Identity& pod) { scheduler_->cluster().remove(Gone<Pod>{pod.ns, pod.name}); }

std::vector<Create> VolcanoCluster::missing_queues() const {
  const auto& cluster = scheduler_->cluster();
  const auto& default_queue = cluster.options().default_queue;
  std::vector<Create> missing;
  if (!cluster.find_queue(kRootQueue)) missing.push_back(queue_creation(kRootQueue, false));
  if (!cluster.find_queue(default_queue)) missing.push_back(queue_creation(default_queue, true));
  return missing;
}

// Their kind may be installed later, or the server have been busy with something else.
void VolcanoCluster::ask_for_queues(const Timestamp& now, Effects& effects) {
  if (!lacks_queues_ || (asked_for_queues_ && nanos_between(*asked_for_queues_, now) < kAskForQueuesAgain)) return;
  lacks_queues_ = false;
  asked_for_queues_ = now;
  effects.creations = missing_queues();
}

void VolcanoCluster::on_not_written(const kube::ObjectPath& object) {
  auto& cluster = scheduler_->cluster();
  const auto key = object.ns + "/" + object.name;
  if (object.plural == "podgroups") {
    if (const auto job = cluster.find_job(key)) cluster.forget_written(job);
  } else if (object.plural == "pods") {
    if (const auto pod = cluster.find_pod(key)) cluster.forget_written(pod);
  } else if (object.plural == "queues") {
    if (const auto queue = cluster.find_queue(object.name)) cluster.forget_written(queue);
  }
}

Effects VolcanoCluster::settle() {
  auto& cluster = scheduler_->cluster();
  Effects effects;
  effects.creations = missing_queues();
  cluster.settle();
  if (numbers_) numbers_->on_start();
  return effects;
}

CycleOutcome VolcanoCluster::run_cycle(const Timestamp& now) {
  CycleOutcome outcome;
  const auto begin = [this](volcano::Session& session) { evict_given_up(session); };
  VolcanoWatch observer(outcome, numbers_.get(), sights_.looks(), begin, [&](volcano::Session& session) {
    outcome.effects = volcano_effects(session, queue_amounts_, shown_not_ready_, shares_);
    outcome.warnings = session.writes().warnings;
  });
  scheduler_->run_cycle(now, observer);
  tell_why(std::exchange(given_up_, {}), outcome.effects);
  ask_for_queues(now, outcome.effects);
  return outcome;
}

void VolcanoCluster::skip_cycle(const Timestamp&) {
  auto& cluster = scheduler_->cluster();
  for (const auto id : IdRange<GroupId>(cluster.job_count())) cluster.job(id).last_event.reset();
  scheduler_->skip_cycle();
}

// Nothing: the pod has gone.
std::optional<Timestamp> VolcanoCluster::creation_of(const kube::Identity& id) const {
  const auto& cluster = scheduler_->cluster();
  const auto pod = cluster.find_pod(id.ns + "/" + id.name);
  if (!pod || cluster.books().pod(pod).uid != id.uid) return std::nullopt;
  return cluster.books().pod(pod).created;
}

void VolcanoCluster::on_prepared(const Bind& bind, kube::Duration took) {
  if (!numbers_) return;
  if (const auto created = creation_of(bind.pod)) numbers_->on_prepared(*created, took);
}

void VolcanoCluster::on_bind_taken(const Bind& bind, kube::Duration took) {
  if (!numbers_) return;
  if (const auto created = creation_of(bind.pod)) numbers_->on_bound(*created, took);
}

void VolcanoCluster::on_bound(const Bind& bind, Effects& effects) {
  effects.events.push_back({.about = bind.pod,
                            .type = "Normal",
                            .reason = "Scheduled",
                            .action = "Binding",
                            .note = "Successfully assigned " + bind.pod.ns + "/" + bind.pod.name + " to " + bind.node});
}

void VolcanoCluster::on_refused(const Bind& bind, const std::string& answer, const Timestamp& now, Effects& effects) {
  tell(bind.pod, "SchedulerError", "failed to bind to node " + bind.node + ": " + answer, now, effects);
}

void VolcanoCluster::on_unprepared(const Bind& bind, const std::string& why, const Timestamp& now, Effects& effects) {
  const auto pod = bind.pod.ns + "/" + bind.pod.name;
  tell(bind.pod, "SchedulerError", "execute preBind for pod " + pod + " failed: " + why + ", resync the task", now, effects);
}

Result<Reconfigured> VolcanoCluster::reconfigure(const std::string& text, const std::string& file) {
  std::vector<std::string> notes;
  auto config = usable_config(check_config_text(text, file, lenient_ ? Strictness::kExact : Strictness::kStrict), notes);
  if (!config) return fail(std::move(config.error()));
  const auto& remembered = scheduler_->cluster().options();
  auto wanted = remembered;
  wanted.numa = false;
  volcano::remember_for(*config, wanted);
  if (wanted.numa > remembered.numa || wanted.devices != remembered.devices)
    return Reconfigured{.needs_new_cluster = true, .notes = std::move(notes)};
  put_in_force(std::move(*config));
  ask_extender();
  return Reconfigured{.needs_new_cluster = false, .notes = std::move(notes)};
}

}  // namespace muster::daemon
