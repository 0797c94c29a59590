#include "daemon/kai_group_writes.h"

#include <algorithm>

#include "codec/json_writer.h"
#include "policy/kai/status_text.h"

namespace muster::daemon {
namespace {

constexpr std::int64_t kPatience = 30LL * 1'000'000'000;
constexpr std::array<const char*, 3> kKeys = {"kai.scheduler/last-start-timestamp", "kai.scheduler/stale-podgroup-timestamp",
                                              "kai.scheduler/last-eviction-timestamp"};

// Annotations have whole seconds.
std::string time_text(const std::optional<Timestamp>& stamp) {
  return stamp ? Timestamp{stamp->seconds, 0}.rfc3339() : std::string();
}

// The uid keeps the change from another PodGroup of the same name.
JsonWriter& begin(JsonWriter& json, const kai::Job& job) {
  return json.begin_object().key("metadata").begin_object().member("uid", job.uid);
}

kube::ObjectPath path_of(const kai::Job& job, std::string subresource) {
  return {
      .api_version = kKaiPodGroups, .plural = "podgroups", .ns = job.ns, .name = job.name, .subresource = std::move(subresource)};
}

// All of them, so that the latest patch may take the place of one that waits.
Patch stamps_patch(const kai::Job& job, const std::array<std::string, 3>& stamps) {
  std::string body;
  JsonWriter json(body);
  begin(json, job).key("annotations").begin_object();
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    json.key(kKeys[i]);
    if (stamps[i].empty())
      json.null();
    else
      json.value(stamps[i]);
  }
  json.end_object().end_object().end_object();
  return {path_of(job, {}), kube::PatchType::kMerge, std::move(body)};
}

constexpr std::array<std::pair<std::string_view, ResourceList kai::QueueDetails::*>, 7> kQueueDetails = {{
    {"queueRequestedResources", &kai::QueueDetails::requested},
    {"queueDeservedResources", &kai::QueueDetails::deserved},
    {"queueAllocatedNonPreemptibleResources", &kai::QueueDetails::allocated_fixed},
    {"podGroupRequestedResources", &kai::QueueDetails::group_requested},
    {"podGroupRequestedNonPreemptibleResources", &kai::QueueDetails::group_requested_fixed},
    {"queueAllocatedResources", &kai::QueueDetails::allocated},
    {"queueResourceLimits", &kai::QueueDetails::limits},
}};

void write_details(JsonWriter& json, const kai::QueueDetails& details) {
  json.key("details").begin_object().key("queueDetails").begin_object().member("name", details.queue);
  for (const auto& [name, amounts] : kQueueDetails) {
    json.key(name).begin_object();
    for (const auto& [resource, quantity] : details.*amounts) json.member(resource, quantity.text());
    json.end_object();
  }
  json.end_object().end_object();
}

// Whether the condition is the one that this cycle's errors would make, so that what is known of them belongs to it.
bool is_of(const kai::Job& job, const KaiSchedulingCondition& condition) {
  return &condition == &job.conditions.back() && condition.node_pool == kai::pool_name(job) &&
         std::ranges::equal(condition.reasons, job.errors, {}, &KaiSchedulingCondition::Reason::code,
                            [](const kai::JobFitError& error) { return kai::name_of(error.reason); });
}

void write_condition(JsonWriter& json, const kai::Job& job, const KaiSchedulingCondition& condition, const kai::QueueTree& queues) {
  json.begin_object().member("type", condition.type).member("nodePool", condition.node_pool);
  json.member("status", condition.status).member("transitionID", condition.transition_id);
  if (condition.last_transition) json.member("lastTransitionTime", time_text(condition.last_transition));
  json.member("reason", condition.reason).member("message", condition.message).key("reasons").begin_array();
  const bool is_known = is_of(job, condition);
  for (std::size_t i = 0; i < condition.reasons.size(); ++i) {
    const auto& reason = condition.reasons[i];
    json.begin_object().member("reason", reason.code).member("message", reason.message);
    if (is_known && job.errors[i].queue) write_details(json, kai::details_of(queues, *job.errors[i].queue));
    json.end_object();
  }
  json.end_array().end_object();
}

Patch conditions_patch(const kai::Job& job, const kai::QueueTree& queues) {
  std::string body;
  JsonWriter json(body);
  begin(json, job).end_object().key("status").begin_object().key("schedulingConditions").begin_array();
  for (const auto& condition : job.conditions) write_condition(json, job, condition, queues);
  json.end_array().end_object().end_object();
  return {path_of(job, "status"), kube::PatchType::kMerge, std::move(body), true};
}

}  // namespace

KaiGroupWrites::State KaiGroupWrites::state_of(const KaiPodGroup& group) {
  State state;
  for (std::size_t i = 0; i < kKeys.size(); ++i) state.stamps[i] = group.meta.annotations.get(kKeys[i]);
  state.conditions = group.conditions;
  return state;
}

KaiGroupWrites::State KaiGroupWrites::state_of(const kai::Job& job) {
  return {{time_text(job.written.last_start), time_text(job.written.stale_since), time_text(job.written.last_eviction)},
          job.conditions};
}

// The number of a condition changes with what it says.
bool KaiGroupWrites::same(const std::vector<KaiSchedulingCondition>& left, const std::vector<KaiSchedulingCondition>& right) {
  return std::ranges::equal(left, right, [](const auto& l, const auto& r) {
    return l.node_pool == r.node_pool && l.transition_id == r.transition_id && l.message == r.message;
  });
}

bool KaiGroupWrites::same(const State& left, const State& right) {
  return left.stamps == right.stamps && same(left.conditions, right.conditions);
}

void KaiGroupWrites::complete(KaiPodGroup& group, bool in_shard) {
  auto& known = groups_[group.meta.ns + "/" + group.meta.name];
  if (known.uid != group.meta.uid) known = {.uid = group.meta.uid, .shown = {}, .asked = {}, .asked_at = {}};
  known.shown = state_of(group);
  if (!in_shard) known.asked.reset();  // somebody else writes on it
  if (!known.asked) return;
  if (same(*known.asked, known.shown)) {
    known.asked.reset();
    return;
  }
  for (std::size_t i = 0; i < kKeys.size(); ++i) group.meta.annotations.set(kKeys[i], known.asked->stamps[i]);
  group.conditions = known.asked->conditions;
}

void KaiGroupWrites::forget(const kube::Identity& group) { groups_.erase(group.ns + "/" + group.name); }

void KaiGroupWrites::write(const kai::Job& job, const kai::QueueTree& queues, const Timestamp& now, Effects& effects) {
  const auto found = groups_.find(job.ns + "/" + job.name);
  if (found == groups_.end() || found->second.uid != job.uid) return;
  auto& known = found->second;
  auto wanted = state_of(job);
  const bool late = known.asked && nanos_between(known.asked_at, now) > kPatience;
  const auto& expected = known.asked && !late ? *known.asked : known.shown;
  if (same(wanted, expected)) return;
  if (wanted.stamps != expected.stamps) effects.patches.push_back(stamps_patch(job, wanted.stamps));
  if (!same(wanted.conditions, expected.conditions)) effects.patches.push_back(conditions_patch(job, queues));
  known.asked = std::move(wanted);
  known.asked_at = now;
}

void KaiGroupWrites::on_not_written(const std::string& ns, const std::string& name) {
  if (const auto found = groups_.find(ns + "/" + name); found != groups_.end()) found->second.asked.reset();
}

void KaiGroupWrites::stand_back() {
  for (auto& [key, known] : groups_) known.asked.reset();
}

}  // namespace muster::daemon
