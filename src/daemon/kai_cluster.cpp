#include "daemon/kai_cluster.h"

#include "app/kai_config.h"
#include "app/kai_setup.h"
#include "daemon/gone_objects.h"
#include "daemon/kai_bind_request.h"
#include "daemon/kai_claims.h"
#include "daemon/kai_watch.h"
#include "daemon/pod_status.h"

namespace muster::daemon {
namespace {

std::unique_ptr<kai::Scheduler> make_scheduler(KaiSettings& settings) {
  remember_for(settings.config, settings.options);
  settings.options.whole_gpus_only = settings.writing.binder == KaiBinder::kDirect;
  auto scheduler = std::make_unique<kai::Scheduler>(std::make_unique<kai::Cluster>(settings.options), std::move(settings.config),
                                                    SearchKind::kIndex);
  scheduler->name_gpu_groups(settings.gpu_groups);
  return scheduler;
}

}  // namespace

KaiCluster::KaiCluster(KaiSettings settings)
    : writing_(settings.writing),
      lenient_(settings.lenient),
      numbers_(settings.numbers),
      make_usage_(settings.make_usage),
      scheduler_(make_scheduler(settings)),
      requests_(scheduler_->cluster()),
      gate_(writing_.binder == KaiBinder::kDirect ? PodGate::Refusal([this](const Pod& pod) { return why_not_direct(pod); })
                                                  : PodGate::Refusal()) {
  written_.shares = ShareNames(std::move(settings.share_names));
  follow_usage();
}

void KaiCluster::follow_usage() {
  notes_.clear();
  usage_ = make_usage_(scheduler_->config().usage, scheduler_->cluster().options().behaviour, clock_, notes_);
  if (usage_ && numbers_) usage_->on_answer([numbers = numbers_](kube::Duration took) { numbers->on_usage_answer(took); });
  scheduler_->cluster().set_usage({});
}

// As in the original, whoever is in a PodGroup, whatever scheduler it names.
bool KaiCluster::may_be_placed(const Pod& pod) const {
  return pod.spec.scheduler_name == scheduler_->cluster().options().scheduler_name ||
         pod.meta.annotations.contains("pod-group-name");
}

// A share of a GPU is held by a pod of KAI's binder, which nobody makes here.
std::string KaiCluster::why_not_direct(const Pod& pod) const {
  const auto& notes = pod.meta.annotations;
  if (!notes.contains("gpu-fraction") && !notes.contains("gpu-memory")) return {};
  if (!kai::request_of(pod, scheduler_->cluster().books()).gpu.shared()) return {};
  return "it asks for a share of a GPU, which only KAI's binder can reserve: --bind=direct places pods with whole GPUs alone";
}

bool KaiCluster::wants(const kube::ResourceKind& kind) const {
  if (kind.use == kube::KindUse::kVolcano) return false;
  if (kind.kind == "NodeResourceTopology") return scheduler_->cluster().options().numa_requests;
  return kind.kind != "PodDisruptionBudget" && kind.kind != "CSINode";  // which nothing looks at
}

void KaiCluster::apply(Object object) {
  auto& cluster = scheduler_->cluster();
  if (auto* pod = std::get_if<Pod>(&object)) return apply_pod(std::move(*pod));
  if (auto* request = std::get_if<BindRequest>(&object)) return apply_request(std::move(*request));
  if (auto* group = std::get_if<KaiPodGroup>(&object))
    written_.groups.complete(*group, kai::in_shard(group->meta.labels, cluster.options()));
  if (const auto* topology = std::get_if<KaiTopology>(&object)) sights_.dialect().set_topology(*topology);
  const auto* node = std::get_if<Node>(&object);
  const auto is_known = [&] { return node != nullptr && cluster.known(cluster.books().find_node(node->meta.name)); };
  const bool was_known = is_known();
  cluster.apply(object);
  nodes_went_ |= was_known && !is_known();  // to another shard
}

// It may be for a node of which the end was told before.
void KaiCluster::apply_request(BindRequest request) {
  const auto& cluster = scheduler_->cluster();
  if (kai::in_shard(request.meta.labels, cluster.options())) nodes_went_ |= !cluster.known(cluster.books().find_node(request.node));
  requests_.apply(std::move(request));
}

void KaiCluster::apply_pod(Pod pod) {
  sights_.held().note(pod);
  if (may_be_placed(pod)) gate_.look_at(pod);
  requests_.before_pod(pod);
  scheduler_->cluster().apply(Object(pod));
  requests_.after_pod(pod);
}

void KaiCluster::remove(const kube::ResourceKind& kind, const kube::Identity& id) {
  if (kind.kind == "BindRequest") return requests_.remove(id);
  if (kind.kind == "Pod") {
    sights_.held().forget(id);
    gate_.forget(id);
    requests_.forget_pod(id);
    written_.news.forget(id.uid);
  }
  if (kind.kind == "PodGroup") {
    written_.groups.forget(id);
    written_.news.forget(id.ns + "/" + id.name);
    if (numbers_) numbers_->on_group_gone(id.uid);
  }
  if (kind.kind == "Node") nodes_went_ = true;
  if (kind.kind == "Topology") sights_.dialect().forget_topology(id.name);
  scheduler_->cluster().remove(gone_object(kind, id));
}

// Without its object nothing is left of what was decided for it.
void KaiCluster::take_back(const kube::Identity& pod) {
  written_.news.forget(pod.uid);
  requests_.take_back(pod);
  scheduler_->cluster().remove(Gone<Pod>{pod.ns, pod.name});
}

Effects KaiCluster::settle() {
  if (usage_) usage_->start();
  nodes_went_ = true;  // perhaps before we came
  return {};
}

CycleOutcome KaiCluster::run_cycle(const Timestamp& now) {
  CycleOutcome outcome;
  outcome.warnings = notes_;
  if (usage_ && usage_->is_awaited()) {
    scheduler_->skip_cycle(now);
    given_up_.clear();
    return outcome;
  }
  if (usage_) scheduler_->cluster().set_usage(usage_->usage(outcome.warnings));
  requests_.pass(now);
  if (std::exchange(nodes_went_, false)) requests_.nodes_went();
  const auto begin = [this](kai::Session& session) { evict_given_up(session); };
  KaiWatch observer(outcome, numbers_.get(), sights_.looks(), begin, [&](kai::Session& session) { take_down(session, outcome); });
  scheduler_->run_cycle(now, observer);
  tell_why(std::exchange(given_up_, {}), outcome.effects);
  outcome.effects.deletions = requests_.take_deletions();
  for (auto& [pod, why] : gate_.news())
    tell_unscheduled(pod, {.condition = "Unschedulable", .event = "Unschedulable", .note = std::move(why)}, now, outcome.effects);
  return outcome;
}

void KaiCluster::take_down(kai::Session& session, CycleOutcome& outcome) {
  const bool binds_volumes = writing_.binder == KaiBinder::kDirect;
  if (binds_volumes) reserve_volumes(session);
  outcome.effects = kai_effects(session, writing_, sights_.held().all(), written_, failed_);
  if (binds_volumes) release_volumes(session);  // what comes of it is seen in the objects
  if (numbers_) numbers_->on_cycle(session, outcome);
  const auto& warnings = session.warnings();
  outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
  if (!session.refusal().empty()) outcome.warnings.push_back(session.refusal());
}

void KaiCluster::skip_cycle(const Timestamp& now) {
  written_.groups.stand_back();
  written_.news.clear();
  scheduler_->skip_cycle(now);
}

void KaiCluster::on_not_written(const kube::ObjectPath& object) {
  if (object.plural == "podgroups") return written_.groups.on_not_written(object.ns, object.name);
  const auto& cluster = scheduler_->cluster();
  const auto pod = object.plural == "pods" ? cluster.find_pod(object.ns + "/" + object.name) : PodId();
  if (pod) written_.news.forget(cluster.books().pod(pod).uid);
}

void KaiCluster::on_bind_taken(const Bind&, kube::Duration took) {
  if (numbers_) numbers_->on_bind_taken(took);
}

void KaiCluster::on_bound(const Bind& bind, Effects& effects) {
  const auto& pool = scheduler_->cluster().options().node_pool;
  effects.events.push_back({.about = bind.pod,
                            .type = "Normal",
                            .reason = "Scheduled",
                            .action = "Binding",
                            .note = "Successfully assigned pod " + bind.pod.ns + "/" + bind.pod.name + " to node " + bind.node +
                                    " at node-pool " + (pool.empty() ? "default" : pool)});
  if (writing_.binder == KaiBinder::kDirect) tell_bound(bind, effects);
  label_with_pool(scheduler_->cluster(), bind.pod, effects);
}

void KaiCluster::on_refused(const Bind& bind, const std::string& answer, const Timestamp& now, Effects& effects) {
  tell_failed_bind(bind, answer, writing_.binder, now, effects);
}

void KaiCluster::on_unprepared(const Bind& bind, const std::string& why, const Timestamp& now, Effects& effects) {
  on_refused(bind, why, now, effects);
}

std::vector<FailedBind> KaiCluster::take_failed_binds() {
  auto failed = requests_.take_failures();
  failed.insert(failed.end(), failed_.begin(), failed_.end());
  failed_.clear();
  return failed;
}

bool KaiCluster::stands(const Bind& bind, const Object& order) const {
  const auto* request = std::get_if<BindRequest>(&order);
  return request != nullptr && requests_.stands(bind, *request);
}

Result<Reconfigured> KaiCluster::reconfigure(const std::string& text, const std::string& file) {
  std::vector<std::string> notes;
  auto config = usable_kai_config(check_kai_config_text(text, file, lenient_ ? Strictness::kExact : Strictness::kStrict), notes);
  if (!config) return fail(std::move(config.error()));
  const auto& remembered = scheduler_->cluster().options();
  auto wanted = remembered;
  remember_for(*config, wanted);
  if (wanted.numa_requests > remembered.numa_requests) return Reconfigured{.needs_new_cluster = true, .notes = std::move(notes)};
  const bool same_usage = config->usage == scheduler_->config().usage;
  put_in_force(std::move(*config));
  if (!same_usage) {
    follow_usage();
    if (usage_) usage_->start();
  }
  return Reconfigured{.needs_new_cluster = false, .notes = std::move(notes)};
}

}  // namespace muster::daemon
