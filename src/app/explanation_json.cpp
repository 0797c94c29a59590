#include "app/amount_text.h"
#include "app/explanation.h"
#include "app/queue_rows.h"
#include "app/schedule_report.h"
#include "codec/json_writer.h"

namespace muster {
namespace {

void write_pods(JsonWriter& json, const Explanation& e) {
  const auto& job = e.job;
  json.key("pods")
      .begin_object()
      .member("total", job.pods)
      .member("minimum", job.minimum)
      .member("placed", job.holding)
      .member("pending", job.pending)
      .member("gated", job.gated)
      .member("leaving", job.leaving)
      .member("succeeded", job.succeeded)
      .member("failed", job.failed)
      .member("would_fit", job.would_fit);
  if (e.room_is_gone) json.member("room_is_gone", true);
  json.end_object();
  json.key("nodes").begin_object();
  for (const auto& [node, count] : job.nodes) json.member(node, count);
  json.end_object();
}

void write_refusals(JsonWriter& json, const NodeRefusals& refusals) {
  json.key("refusals").begin_object().member("pod", refusals.pod).member("nodes", refusals.nodes).key("reasons").begin_array();
  for (const auto& [reason, count] : refusals.reasons)
    json.begin_object().member("reason", reason).member("nodes", count).end_object();
  json.end_array().end_object();
}

void write_amount(JsonWriter& json, std::string_view key, const std::string& resource, std::optional<double> amount) {
  if (amount) json.member(key, amount_in_units(resource, *amount));
}

void write_queue(JsonWriter& json, const Explanation& e) {
  json.key("queue").begin_object().member("name", e.job.queue);
  write_queue_rows(json, e.queue);
  if (e.competitors != 0) json.member("place", e.place).member("jobs", e.competitors);
  json.key("ahead").begin_array();
  for (const auto& rival : e.ahead) json.begin_object().member("job", rival.job).member("state", name_of(rival.state)).end_object();
  json.end_array();
  if (!e.above.empty()) {
    json.key("above").begin_array();
    for (const auto& queue : e.above) {
      json.begin_object().member("name", queue.name);
      write_queue_rows(json, queue.rows);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_closest(JsonWriter& json, const std::optional<ClosestNode>& closest) {
  if (!closest) return;
  json.key("closest_node").begin_object().member("node", closest->name).key("lacks").begin_object();
  for (const auto& shortage : closest->shortages) {
    json.key(shortage.resource).begin_object();
    write_amount(json, "asked", shortage.resource, shortage.asked);
    write_amount(json, "free", shortage.resource, shortage.free);
    json.end_object();
  }
  json.end_object().key("held_by").begin_object();
  for (const auto& [job, amount] : closest->held_by) write_amount(json, job, closest->shortages.front().resource, amount);
  json.end_object().end_object();
}

void write_eviction_list(JsonWriter& json, std::string_view key, const std::vector<Eviction>& evictions) {
  if (evictions.empty()) return;
  json.key(key).begin_array();
  for (const auto& eviction : evictions) {
    json.begin_object().member("pod", eviction.pod).member("rule", eviction.rule).member("for_job", eviction.for_job);
    if (!eviction.for_pod.empty()) json.member("for_pod", eviction.for_pod);
    json.member("why", eviction.why.empty() ? std::string(why_evicted(eviction.rule)) : eviction.why).end_object();
  }
  json.end_array();
}

void write_chances(JsonWriter& json, const std::vector<EvictionChance>& chances) {
  if (chances.empty()) return;
  json.key("not_evicted").begin_array();
  for (const auto& chance : chances) {
    json.begin_object().member("action", chance.action).member("text", chance_text(chance));
    json.member("running", chance.running).member("may_go", chance.may_go);
    json.key("kept").begin_object();
    for (const auto& [why, pods] : chance.kept) json.member(why, pods);
    json.end_object().end_object();
  }
  json.end_array();
}

std::string_view part_name(JobNeeds::Of of) {
  switch (of) {
    case JobNeeds::Of::kMinimum: return "minimum";
    case JobNeeds::Of::kMinResources: return "minResources";
    case JobNeeds::Of::kRest: return "rest";
  }
  return "";
}

void write_needs(JsonWriter& json, const Explanation& e) {
  json.member("needs_of", part_name(e.needs_of));
  if (e.needing_pods != 0) json.member("needing_pods", e.needing_pods);
  json.key("needs").begin_object();
  for (const auto& row : e.needs) {
    json.key(row.resource).begin_object();
    write_amount(json, "missing", row.resource, row.missing);
    write_amount(json, "free", row.resource, row.free);
    write_amount(json, "total", row.resource, row.total);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_queue_rows(JsonWriter& json, const std::vector<QueueRow>& rows) {
  json.key("resources").begin_object();
  for (const auto& row : rows) {
    json.key(row.resource).begin_object();
    write_amount(json, "deserved", row.resource, row.deserved);
    write_amount(json, "fair_share", row.resource, row.fair_share);
    write_amount(json, "allocated", row.resource, row.allocated);
    write_amount(json, "requested", row.resource, row.requested);
    write_amount(json, "promised", row.resource, row.promised);
    write_amount(json, "limit", row.resource, row.limit);
    if (!row.limit_of.empty()) json.member("limit_of", row.limit_of);
    json.end_object();
  }
  json.end_object();
}

std::string explanation_json(const Explanation& e) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("job", e.job.name);
  if (!e.job.workload.empty()) json.member("workload", e.job.workload);
  if (!e.pod.empty()) json.member("pod", e.pod);
  if (!e.pod_place.empty()) json.member("pod_place", e.pod_place);
  json.member("state", name_of(e.job.state)).member("phase", e.job.phase);
  json.key("reason").begin_object().member("code", e.code).member("text", e.job.sentence).member("hint", e.hint).end_object();
  write_pods(json, e);
  write_refusals(json, e.job.refusals);
  write_closest(json, e.closest);
  write_needs(json, e);
  write_eviction_list(json, "evicted", e.evicted);
  write_eviction_list(json, "made_way", e.made_way);
  write_chances(json, e.chances);
  write_queue(json, e);
  if (!e.messages.empty()) {
    json.key("messages").begin_array();
    for (const auto& message : e.messages) json.value(message);
    json.end_array();
  }
  json.end_object();
  return out;
}

}  // namespace muster
