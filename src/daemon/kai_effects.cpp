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
  EffectWriter(kai::Session& session, const KaiWriting& how, const RefusedBinds& held, KaiWritten& written,
               std::vector<FailedBind>& failed)
      : session_(session),
        cluster_(session.cluster()),
        books_(session.books()),
        how_(how),
        held_(held),
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
    auto told = session_.eviction_texts().begin();
    for (const auto& decision : session_.outbox())
      if (decision.kind == Decision::Kind::kBind)
        write_bind(decision, *details++);
      else
        write_eviction(decision, *told++);
    BegunGangs::put_first(effects_.binds);
    // One for each, in their order.
    MUSTER_ASSERT(details == session_.bind_details().end() && told == session_.eviction_texts().end());
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
    written_.news.forget(bind.pod.uid);
    if (auto why = why_not(details); !why.empty()) {
      tell_failed_bind(bind, why, how_.binder, session_.now(), effects_);
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

  void write_eviction(const Decision& decision, const std::string& told) {
    if (!seen_.insert(decision.pod).second) return;  // two actions may want the same pod gone
    auto pod = pod_identity(books_, decision.pod);
    Evict evict{pod, kai_group_of(cluster_, decision.pod), {}};
    if (books_.pod(decision.pod).group) evict.told.push_back(told_to_group(decision, told));
    if (decision.node) evict.node = books_.node(decision.node).name;
    evict.rule = decision.rule;
    evict.why = why_evicted_[books_.pod_key(decision.pod)];
    if (decision.for_whom.group) {
      const auto& winner = cluster_.job(decision.for_whom.group);
      evict.for_group = winner.ns + "/" + winner.name;
    }
    if (decision.for_whom.pod) evict.for_pod = books_.pod_key(decision.for_whom.pod);
    if (how_.announce_evictions) evict.announced = disruption_target(pod, told);
    effects_.evictions.push_back(std::move(evict));
  }

  Patch disruption_target(const kube::Identity& pod, const std::string& why) const {
    return pod_status_patch(pod, [&](JsonWriter& json) {
      json.key("conditions").begin_array().begin_object().member("type", "DisruptionTarget").member("status", "True");
      json.member("reason", "PreemptionByScheduler").member("message", why);
      json.member("lastTransitionTime", session_.now().rfc3339()).end_object().end_array();
    });
  }

  Event told_to_group(const Decision& decision, const std::string& told) {
    std::map<std::string, std::string> notes = {
        {"evictor-action-type", std::string(decision.rule)},
        {"num-evicted-pods", std::to_string(evicted_[{books_.pod(decision.pod).group, decision.rule}])}};
    if (decision.for_whom.group) {
      const auto& winner = cluster_.job(decision.for_whom.group);
      notes["evictor-pod-group-name"] = winner.name;
      notes["evictor-pod-group-namespace"] = winner.ns;
    }
    auto event = about(cluster_.job_of(decision.pod), "Evict", told);
    event.action = "Evicting";
    event.tells_of_eviction = true;
    event.annotations = std::move(notes);
    return event;
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
    if (job.stale) effects_.events.push_back(about(job, "StaleJob", kai::stale_text(job)));
    tell_left_out(job);
    job.for_each_pod([&](PodId pod) {
      if (cluster_.task(pod).status == Status::kPipelined) tell_promised(pod);
    });
    if (cluster_.watch().waits(job.id)) write_waiting(job);
    written_.groups.write(job, cluster_.queues(), session_.now(), effects_);
  }

  void write_waiting(const kai::Job& job) {
    if (!job.ready()) {
      auto text = kai::not_ready_text(job, [&](kai::SubGroupId part) { return held_in(job, part); });
      if (text.empty()) return;  // it waits for binds that were refused, of which was told
      auto event = about(job, "NotReady", std::move(text));
      event.can_wait = true;  // its pods come one by one
      effects_.events.push_back(std::move(event));
      return;
    }
    const bool detailed = cluster_.options().detailed_fit_errors;
    const auto why = kai::unschedulable_text(job, kai::Detail::kCounts);
    job.for_each_pod([&](PodId pod) {
      if (cluster_.task(pod).status != Status::kPending) return;
      const bool has_own = session_.fit_errors().knows(pod) || job.errors.empty();
      if (!has_own) return tell_unschedulable(pod, why, job.mark_unschedulable);
      const auto text = [&](kai::Detail detail) { return kai::unschedulable_text(session_, job, pod, detail); };
      if (!detailed) return tell_unschedulable(pod, text(kai::Detail::kCounts), job.mark_unschedulable);
      tell_unschedulable(pod, text(kai::Detail::kCounts), job.mark_unschedulable, [&] { return text(kai::Detail::kAll); });
    });
    auto event = about(job, "Unschedulable", detailed ? kai::unschedulable_text(job, kai::Detail::kAll) : why);
    event.can_wait = true;
    if (written_.news.look_at(job.ns + "/" + job.name, event.note, session_.now()) == KaiNews::News::kWords)
      effects_.events.push_back(std::move(event));
  }

  std::uint32_t held_in(const kai::Job& job, kai::SubGroupId part) const {
    if (held_.empty()) return 0;
    return static_cast<std::uint32_t>(std::ranges::count_if(job.part(part).pods, [&](PodId pod) {
      return cluster_.task(pod).status == Status::kGated && held_.contains(books_.pod_key(pod));
    }));
  }

  void tell_unschedulable(PodId id, const std::string& why, bool mark) {
    tell_unschedulable(id, why, mark, [&] { return why; });
  }

  // Told in full, which takes long with many nodes, when the short form is news.
  template <class InFull>
  void tell_unschedulable(PodId id, const std::string& short_form, bool mark, const InFull& in_full) {
    const auto pod = pod_identity(books_, id);
    const auto news = written_.news.look_at(pod.uid, short_form, session_.now());
    if (news == KaiNews::News::kNone) return;
    const auto why = in_full();
    if (mark)
      effects_.patches.push_back(
          pod_status_patch(pod, [&](JsonWriter& json) { write_unscheduled(json, "Unschedulable", why, session_.now()); }));
    if (news == KaiNews::News::kWords)
      effects_.events.push_back(
          {.about = pod, .type = "Warning", .reason = "Unschedulable", .action = "Scheduling", .note = why, .can_wait = true});
  }

  // Pods of a subgroup that the PodGroup does not have.
  void tell_left_out(const kai::Job& job) {
    for (const auto pod : books_.group(job.id).pods) {
      const auto& task = cluster_.task(pod);
      if (task.pod_set || !task.ours || task.status != Status::kPending) continue;
      tell_unschedulable(pod, kai::left_out_text(session_, job, pod), true);
    }
  }

  void tell_promised(PodId id) {
    effects_.events.push_back(
        {.about = pod_identity(books_, id),
         .type = "Normal",
         .reason = "Pipelined",
         .action = "Scheduling",
         .note = "Pod " + books_.pod_key(id) + " was pipelined to node " + books_.node(cluster_.task(id).node).name});
  }

  kai::Session& session_;
  const kai::Cluster& cluster_;
  const Books& books_;
  const KaiWriting& how_;
  const RefusedBinds& held_;
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

Effects kai_effects(kai::Session& session, const KaiWriting& how, const RefusedBinds& held, KaiWritten& written,
                    std::vector<FailedBind>& failed) {
  return EffectWriter(session, how, held, written, failed).write();
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

void tell_failed_bind(const Bind& bind, const std::string& why, KaiBinder binder, const Timestamp& now, Effects& effects) {
  const auto what = "Failed to bind pod " + bind.pod.ns + "/" + bind.pod.name + " to node " + bind.node;
  tell_unscheduled(bind.pod, {.condition = "BindingError", .event = "FailedBinding", .note = what + ". " + why}, now, effects);
  if (binder != KaiBinder::kDirect) return;
  effects.events.push_back(
      {.about = bind.pod, .type = "Warning", .reason = "BindingError", .action = "Binding", .note = what + ": " + why});
}

void tell_bound(const Bind& bind, Effects& effects) {
  effects.events.push_back({.about = bind.pod,
                            .type = "Normal",
                            .reason = "Bound",
                            .action = "Binding",
                            .note = "Pod bound successfully to node " + bind.node});
}

}  // namespace muster::daemon
