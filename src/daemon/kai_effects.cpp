#include "daemon/kai_effects.h"

#include <algorithm>
#include <set>

#include "app/kai_eviction_text.h"
#include "base/assert.h"
#include "daemon/begun_gangs.h"
#include "daemon/kai_bind_request.h"
#include "daemon/kai_claims.h"
#include "daemon/pod_identity.h"
#include "daemon/pod_status.h"
#include "policy/kai/status_text.h"

namespace muster::daemon {
namespace {

using kai::Status;

// Why a bind cannot be carried out; empty: it can.
std::string_view obstacle(const kai::BindDetails& details, KaiBinder binder) {
  if (details.extended) return "this version of muster does not allocate devices (DRA) for resources of containers";
  if (details.devices && std::ranges::any_of(details.devices->claims, [](const auto& claim) { return !claim.allocation; }))
    return "its claims have been given no devices";
  if (binder == KaiBinder::kDirect && details.gpu.shared()) return "shares of GPUs need KAI's binder";
  return {};
}

class EffectWriter {
 public:
  EffectWriter(const kai::Session& session, const KaiWriting& how, KaiWritten& written, std::vector<FailedBind>& failed)
      : session_(session),
        cluster_(session.cluster()),
        books_(session.books()),
        how_(how),
        written_(written),
        failed_(failed),
        begun_(books_) {}

  Effects write() {
    write_decisions();
    for (const auto id : cluster_.listed_jobs())
      if (cluster_.watch().was_due(id)) write_job(cluster_.job(id));
    return std::move(effects_);
  }

 private:
  // ---- decisions

  void write_decisions() {
    count_evictions();
    find_obstacles();
    auto details = session_.bind_details().begin();
    for (const auto& decision : session_.outbox())
      if (decision.kind == Decision::Kind::kBind)
        write_bind(decision, *details++);
      else
        write_eviction(decision);
    BegunGangs::put_first(effects_.binds);
    MUSTER_ASSERT(details == session_.bind_details().end());  // one for each bind, in their order
  }

  // Who cannot be bound keeps its whole PodGroup back: a gang that is bound in part would hold its room for nothing.
  void find_obstacles() {
    for (const auto& details : session_.bind_details()) {
      const auto why = obstacle(details, how_.binder);
      const auto group = books_.pod(details.pod).group;
      if (!why.empty() && group) kept_back_.try_emplace(group, why);
    }
  }

  std::string why_not(const kai::BindDetails& details) const {
    if (const auto why = obstacle(details, how_.binder); !why.empty()) return std::string(why);
    const auto kept_back = kept_back_.find(books_.pod(details.pod).group);
    return kept_back == kept_back_.end() ? std::string()
                                         : "another pod of its PodGroup cannot be bound: " + std::string(kept_back->second);
  }

  void write_bind(const Decision& decision, const kai::BindDetails& details) {
    const auto& node = books_.node(decision.node).name;
    Bind bind{pod_identity(books_, decision.pod), node, {}, kai_group_of(cluster_, decision.pod), {}};
    bind.rule = decision.rule;
    bind.of_begun_gang = begun_.contains(decision.pod);
    written_.pods.forget(bind.pod.uid);
    if (auto why = why_not(details); !why.empty()) {
      tell_failed_bind(bind.pod, why, session_.now(), effects_);
      failed_.push_back({std::move(bind), std::move(why)});
      return;
    }
    if (how_.binder == KaiBinder::kRequests) {
      bind.order = kai_bind_request(session_, details, bind.pod, node, written_.shares);
    } else {
      bind.annotations = kai_bind_annotations(details);
      bind.claims = kai_claim_work(session_, details, node, written_.shares);
    }
    effects_.binds.push_back(std::move(bind));
  }

  void count_evictions() {
    for (const auto& decision : session_.outbox())
      if (decision.kind == Decision::Kind::kEvict) ++evicted_[{books_.pod(decision.pod).group, decision.rule}];
    if (!evicted_.empty()) why_evicted_ = kai_eviction_texts(session_);
  }

  void write_eviction(const Decision& decision) {
    if (!seen_.insert(decision.pod).second) return;  // two actions may want the same pod gone
    auto pod = pod_identity(books_, decision.pod);
    const auto why = why_evicted_[books_.pod_key(decision.pod)];
    tell_group_of_eviction(decision, pod, why);
    Evict evict{pod, kai_group_of(cluster_, decision.pod), {}};
    const auto node = decision.node ? decision.node : cluster_.task(decision.pod).facts.node;
    if (node) evict.node = books_.node(node).name;
    evict.rule = decision.rule;
    evict.why = why;
    if (decision.for_whom.group) {
      const auto& winner = cluster_.job(decision.for_whom.group);
      evict.for_group = winner.ns + "/" + winner.name;
    }
    if (decision.for_whom.pod) evict.for_pod = books_.pod_key(decision.for_whom.pod);
    if (how_.announce_evictions) evict.announced = disruption_target(pod, why);
    effects_.evictions.push_back(std::move(evict));
  }

  Patch disruption_target(const kube::Identity& pod, const std::string& why) const {
    return pod_status_patch(pod, [&](JsonWriter& json) {
      json.key("conditions").begin_array().begin_object().member("type", "DisruptionTarget").member("status", "True");
      json.member("reason", "PreemptionByScheduler").member("message", why);
      json.member("lastTransitionTime", session_.now().rfc3339()).end_object().end_array();
    });
  }

  void tell_group_of_eviction(const Decision& decision, const kube::Identity& pod, const std::string& why) {
    if (!books_.pod(decision.pod).group) return;
    std::map<std::string, std::string> notes = {
        {"evictor-action-type", std::string(decision.rule)},
        {"num-evicted-pods", std::to_string(evicted_[{books_.pod(decision.pod).group, decision.rule}])}};
    if (decision.for_whom.group) {
      const auto& winner = cluster_.job(decision.for_whom.group);
      notes["evictor-pod-group-name"] = winner.name;
      notes["evictor-pod-group-namespace"] = winner.ns;
    }
    auto event = about(cluster_.job_of(decision.pod), "Evict",
                       "pod " + pod.ns + "/" + pod.name + " is evicted by " + std::string(decision.rule) + ": " + why);
    event.action = "Evicting";
    event.tells_of_eviction = true;
    event.annotations = std::move(notes);
    effects_.events.push_back(std::move(event));
  }

  // ---- jobs

  Event about(const kai::Job& job, std::string reason, std::string note) const {
    return {.api_version = kKaiPodGroups,
            .kind = "PodGroup",
            .about = {job.ns, job.name, job.uid, {}},
            .type = "Normal",
            .reason = std::move(reason),
            .action = "Scheduling",
            .note = std::move(note)};
  }

  void write_job(const kai::Job& job) {
    if (job.stale)
      effects_.events.push_back(about(job, "StaleJob", "it has run with fewer pods than have to run together for too long"));
    tell_left_out(job);
    job.for_each_pod([&](PodId pod) {
      if (cluster_.task(pod).status == Status::kPipelined) tell_promised(pod);
    });
    if (cluster_.watch().waits(job.id)) write_waiting(job);
    written_.groups.write(job, session_.now(), effects_);
  }

  void write_waiting(const kai::Job& job) {
    if (!job.ready()) {
      auto event = about(job, "NotReady", kai::not_ready_text(job));
      event.can_wait = true;  // its pods come one by one
      effects_.events.push_back(std::move(event));
      return;
    }
    const auto why = kai::unschedulable_text(job);
    bool is_any = false;
    job.for_each_pod([&](PodId pod) {
      if (cluster_.task(pod).status != Status::kPending) return;
      is_any = true;
      tell_unschedulable(pod, why, job.mark_unschedulable);
    });
    if (!is_any) return;
    auto event = about(job, "Unschedulable", why);
    event.can_wait = true;
    effects_.events.push_back(std::move(event));
  }

  void tell_unschedulable(PodId id, const std::string& why, bool mark) {
    const auto pod = pod_identity(books_, id);
    if (!written_.pods.is_news(pod.uid, "Unschedulable", why)) return;
    if (mark)
      effects_.patches.push_back(
          pod_status_patch(pod, [&](JsonWriter& json) { write_unscheduled(json, "Unschedulable", why, session_.now()); }));
    effects_.events.push_back(
        {.about = pod, .type = "Warning", .reason = "Unschedulable", .action = "Scheduling", .note = why, .can_wait = true});
  }

  // Pods of a subgroup that the PodGroup does not have.
  void tell_left_out(const kai::Job& job) {
    for (const auto pod : books_.group(job.id).pods) {
      const auto& task = cluster_.task(pod);
      if (task.pod_set || !task.ours || task.status != Status::kPending) continue;
      tell_unschedulable(pod, "its PodGroup has no subgroup \"" + task.sub_group + "\"", true);
    }
  }

  void tell_promised(PodId id) {
    effects_.events.push_back({.about = pod_identity(books_, id),
                               .type = "Normal",
                               .reason = "Pipelined",
                               .action = "Scheduling",
                               .note = "it gets node " + books_.node(cluster_.task(id).node).name + " when others have left it"});
  }

  const kai::Session& session_;
  const kai::Cluster& cluster_;
  const Books& books_;
  const KaiWriting& how_;
  KaiWritten& written_;
  std::vector<FailedBind>& failed_;
  BegunGangs begun_;
  std::map<std::pair<GroupId, std::string_view>, int> evicted_;  // pods of a job, by action
  std::map<std::string, std::string> why_evicted_;
  std::map<GroupId, std::string_view> kept_back_;  // jobs with a pod that cannot be bound, and why
  std::set<PodId> seen_;
  Effects effects_;
};

}  // namespace

Effects kai_effects(const kai::Session& session, const KaiWriting& how, KaiWritten& written, std::vector<FailedBind>& failed) {
  return EffectWriter(session, how, written, failed).write();
}

void label_with_pool(const kai::Cluster& cluster, const kube::Identity& pod, Effects& effects) {
  const auto& options = cluster.options();
  const auto id = cluster.find_pod(pod.ns + "/" + pod.name);
  if (options.node_pool.empty() || !id) return;
  const auto& books = cluster.books();
  if (books.label_set(books.pod(id).labels).labels.get(options.node_pool_key) == options.node_pool) return;
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("metadata").begin_object().member("uid", pod.uid).key("labels").begin_object();
  json.member(options.node_pool_key, options.node_pool).end_object().end_object().end_object();
  effects.patches.push_back(
      {{.api_version = "v1", .plural = "pods", .ns = pod.ns, .name = pod.name}, kube::PatchType::kMerge, std::move(body)});
}

void tell_failed_bind(const kube::Identity& pod, std::string note, const Timestamp& now, Effects& effects) {
  tell_unscheduled(pod, {.condition = "BindingError", .event = "FailedBinding", .note = std::move(note)}, now, effects);
}

}  // namespace muster::daemon
