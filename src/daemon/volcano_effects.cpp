#include "daemon/volcano_effects.h"

#include <algorithm>
#include <map>

#include "codec/json_writer.h"
#include "daemon/begun_gangs.h"
#include "daemon/pod_identity.h"
#include "daemon/pod_status.h"
#include "daemon/volcano_claims.h"
#include "policy/volcano/job.h"

namespace muster::daemon {
namespace {

constexpr const char* kGroupVersion = "scheduling.volcano.sh/v1beta1";

class EffectWriter {
 public:
  EffectWriter(const volcano::Session& session, QueueAmounts& written, const GroupsShownNotReady& not_ready, ShareNames& shares)
      : session_(session),
        cluster_(session.cluster()),
        books_(session.books()),
        written_(written),
        shown_not_ready_(not_ready),
        shares_(shares),
        begun_(books_) {}

  Effects write() {
    for (const auto& decision : session_.outbox()) take(decision);
    BegunGangs::put_first(effects_.binds);
    write_pod_statuses();
    for (const auto id : session_.writes().groups) effects_.patches.push_back(group_status(cluster_.job(id)));
    for (const auto id : session_.writes().queues) effects_.patches.push_back(queue_status(cluster_.queue(id)));
    write_node_annotations();
    for (const auto& event : session_.writes().events) take(event);
    return std::move(effects_);
  }

 private:
  std::string group_of(PodId id) const {
    const auto group = books_.pod(id).group;
    return group ? books_.group(group).name : std::string();
  }

  void take(const Decision& decision) {
    if (decision.kind == Decision::Kind::kBind) {
      Bind bind{pod_identity(books_, decision.pod), books_.node(decision.node).name, {}, group_of(decision.pod)};
      if (decision.annotations) bind.annotations.insert(decision.annotations->begin(), decision.annotations->end());
      bind.claims = volcano_claim_work(session_, decision.pod, decision.node, shares_);
      bind.rule = decision.rule;
      bind.of_begun_gang = begun_.contains(decision.pod);
      effects_.binds.push_back(std::move(bind));
      return;
    }
    auto pod = pod_identity(books_, decision.pod);
    Event told{.about = pod,
               .type = "Warning",
               .reason = "Evict",
               .action = "Evict",
               .note = "Pod is evicted, because of " + std::string(decision.rule),
               .tells_of_eviction = true};
    const auto node = decision.node ? decision.node : books_.pod(decision.pod).node;
    eviction_of_.try_emplace(decision.pod, effects_.evictions.size());
    effects_.evictions.push_back({.pod = std::move(pod),
                                  .group = group_of(decision.pod),
                                  .node = node ? books_.node(node).name : std::string(),
                                  .rule = std::string(decision.rule),
                                  .for_group = decision.for_whom.group ? books_.group(decision.for_whom.group).name : std::string(),
                                  .for_pod = decision.for_whom.pod ? books_.pod_key(decision.for_whom.pod) : std::string(),
                                  .told = {std::move(told)}});
  }

  void take(const volcano::GroupEvent& event) {
    const auto& job = cluster_.job(event.job);
    const auto eviction = eviction_of_.find(event.evicted);
    auto& events = eviction == eviction_of_.end() ? effects_.events : effects_.evictions[eviction->second].told;
    events.push_back({.api_version = kGroupVersion,
                      .kind = "PodGroup",
                      .about = {job.ns, job.name, job.uid, {}},
                      .type = std::string(event.type),
                      .reason = std::string(event.reason),
                      .action = "Scheduling",
                      .note = *event.message,
                      .can_wait = event.reason == "Unschedulable"});
  }

  // One patch for a pod: its condition, the node that it is to have, or both.
  struct PodStatus {
    const volcano::PodCondition* condition = nullptr;
    NodeId nominated;
  };
  void write_pod_statuses() {
    std::map<PodId, PodStatus> statuses;
    for (const auto& condition : session_.writes().pod_conditions) statuses[condition.pod].condition = &condition;
    for (const auto& [pod, node] : session_.writes().nominated) statuses[pod].nominated = node;
    for (const auto& [pod, status] : statuses) {
      effects_.patches.push_back(pod_status(pod, status));
      if (status.condition == nullptr) continue;
      effects_.events.push_back({.about = pod_identity(books_, pod),
                                 .type = "Warning",
                                 .reason = "FailedScheduling",
                                 .action = "Scheduling",
                                 .note = *status.condition->message,
                                 .can_wait = true});
    }
  }

  Patch pod_status(PodId id, const PodStatus& status) const {
    const auto pod = pod_identity(books_, id);
    return pod_status_patch(pod, [&](JsonWriter& json) {
      if (status.condition != nullptr)
        write_unscheduled(json, status.condition->reason, *status.condition->message, session_.now());
      if (status.nominated) json.member("nominatedNodeName", books_.node(status.nominated).name);
    });
  }

  // Pods of a gang come one by one, and a cycle may begin between two of them, where the original sees at once what came in a
  // second. What was over before anybody was told of it is not told: it would stay on the PodGroup for good, and Volcano's
  // controller of Jobs, which takes it for the latest of the same second, would warn of it again and again.
  bool has_passed(const Condition& condition, const volcano::Job& job) const {
    if (condition.type != kGangNotReady || shown_not_ready_.contains(job.uid)) return false;
    const auto& conditions = job.status.conditions;
    return std::any_of(conditions.begin(), conditions.end(), [&](const auto& other) {
      return other->type == "Scheduled" && other->last_transition >= condition.last_transition;
    });
  }

  // Who makes the pods of a group may wait for it to be let in, and makes them one by one then; whoever looks on waits for it to
  // run.
  Patch group_status(const volcano::Job& job) const {
    const auto counts = session_.counts(job);
    const bool urgent =
        job.status.phase == volcano::Phase::kInqueue && counts.tasks() < job.min_available && counts.of(PodState::kPending) == 0;
    std::string body;
    JsonWriter json(body);
    json.begin_object().key("metadata").begin_object().member("uid", job.uid).end_object();  // not on another one of that name
    json.key("status").begin_object().member("phase", name_of(job.status.phase));
    json.member("running", job.status.running).member("succeeded", job.status.succeeded).member("failed", job.status.failed);
    json.key("conditions").begin_array();
    for (const auto& condition : job.status.conditions) {
      if (has_passed(*condition, job)) continue;
      json.begin_object().member("type", condition->type).member("status", condition->status);
      json.member("transitionID", condition->transition_id).member("lastTransitionTime", condition->last_transition.rfc3339());
      json.member("reason", condition->reason).member("message", condition->message).end_object();
    }
    json.end_array().end_object().end_object();
    return {{.api_version = kGroupVersion, .plural = "podgroups", .ns = job.ns, .name = job.name},
            kube::PatchType::kMerge,
            std::move(body),
            !urgent};
  }

  // Merging leaves in what is not named: resources that the queue no longer holds are named as gone.
  Patch queue_status(const volcano::QueueInfo& queue) {
    auto& before = written_[queue.name];
    std::string body;
    JsonWriter json(body);
    json.begin_object().key("status").begin_object().key("allocated").begin_object();
    std::set<std::string> names;
    if (queue.allocated)
      for (const auto& [name, amount] : *queue.allocated) {
        json.member(name, amount.text());
        names.insert(name);
      }
    for (const auto& name : before)
      if (!names.contains(name)) json.key(name).null();
    json.end_object().end_object().end_object();
    before.merge(names);  // until the object shows it
    return {{.api_version = kGroupVersion, .plural = "queues", .ns = {}, .name = queue.name, .subresource = "status"},
            kube::PatchType::kMerge,
            std::move(body),
            true};
  }

  // One patch for a node, whatever is written on it.
  void write_node_annotations() {
    std::map<NodeId, std::map<std::string, std::string>> nodes;
    for (const auto& annotation : session_.writes().node_annotations) nodes[annotation.node][annotation.key] = annotation.value;
    for (const auto& [node, annotations] : nodes) {
      std::string body;
      JsonWriter json(body);
      json.begin_object().key("metadata").begin_object().key("annotations").begin_object();
      for (const auto& [key, value] : annotations) json.member(key, value);
      json.end_object().end_object().end_object();
      effects_.patches.push_back({{.api_version = "v1", .plural = "nodes", .ns = {}, .name = books_.node(node).name},
                                  kube::PatchType::kMerge,
                                  std::move(body)});
    }
  }

  const volcano::Session& session_;
  const volcano::Cluster& cluster_;
  const Books& books_;
  QueueAmounts& written_;
  const GroupsShownNotReady& shown_not_ready_;
  ShareNames& shares_;
  BegunGangs begun_;
  std::map<PodId, std::size_t> eviction_of_;
  Effects effects_;
};

}  // namespace

Effects volcano_effects(const volcano::Session& session, QueueAmounts& written, const GroupsShownNotReady& not_ready,
                        ShareNames& shares) {
  return EffectWriter(session, written, not_ready, shares).write();
}

}  // namespace muster::daemon
