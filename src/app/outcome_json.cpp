#include "app/outcome_json.h"

#include <algorithm>

#include "app/name_members.h"

namespace muster {
namespace {

using Names = std::map<std::string, std::string>;

void write_evictions(JsonWriter& json, const std::vector<VolcanoCycle>& cycles) {
  json.key("evictions").begin_array();
  for (const auto& cycle : cycles)
    for (const auto& eviction : cycle.evictions) {
      json.begin_object().member("pod", eviction.pod).member("node", eviction.node).member("rule", eviction.rule);
      if (!eviction.for_job.empty()) json.member("for_job", eviction.for_job);
      if (!eviction.for_pod.empty()) json.member("for_pod", eviction.for_pod);
      json.member("why", volcano_rule_text(eviction.rule)).end_object();
    }
  json.end_array();
}

void write_conditions(JsonWriter& json, const VolcanoCycle& cycle) {
  json.key("podgroup_conditions").begin_object();
  for (const auto& [group, conditions] : cycle.podgroup_conditions) {
    json.key(group).begin_object();
    for (const auto& [type, condition] : conditions)
      json.key(type)
          .begin_object()
          .member("message", condition.message)
          .member("reason", condition.reason)
          .member("status", condition.status)
          .end_object();
    json.end_object();
  }
  json.end_object().key("pod_conditions").begin_object();
  for (const auto& [pod, condition] : cycle.pod_conditions)
    json.key(pod).begin_object().member("message", condition.second).member("reason", condition.first).end_object();
  json.end_object();
}

void write_state(JsonWriter& json, const VolcanoCycle& cycle) {
  write(json, "allocated_not_bound", cycle.allocated_not_bound);
  write(json, "nominated", cycle.nominated);
  write(json, "podgroup_phase", cycle.podgroup_phase);
  write_conditions(json, cycle);
  json.key("podgroup_events").begin_object();
  for (const auto& [group, events] : cycle.podgroup_events) write(json, group, events);
  json.end_object();
  if (cycle.has_claims) {
    json.key("claim_devices").begin_object();
    for (const auto& [claim, devices] : cycle.claim_devices) write(json, claim, devices);
    json.end_object();
  }
  json.key("queue_allocated").begin_object();
  for (const auto& [queue, amounts] : cycle.queue_allocated) {
    json.key(queue).begin_object();
    for (const auto& [resource, amount] : amounts) json.member(resource, amount.text());
    json.end_object();
  }
  json.end_object().key("task_status_nums").begin_object();
  for (const auto& [group, states] : cycle.task_status_nums) {
    json.key(group).begin_object();
    for (const auto& [state, count] : states) json.member(state, count);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_timing(JsonWriter& json, const CaseTiming& timing) {
  json.key("timing_us").begin_object().member("load", timing.load).key("cycles").begin_array();
  for (const auto& cycle : timing.cycles) {
    json.begin_object().member("open", cycle.open).key("actions").begin_object();
    for (const auto& [action, micros] : cycle.actions) json.member(action, micros);
    json.end_object().member("close", cycle.close).end_object();
  }
  json.end_array().end_object().key("work").begin_array();
  for (const auto& cycle : timing.cycles)
    json.begin_object()
        .member("searches", cycle.work.searches)
        .member("nodes_judged", cycle.work.nodes_judged)
        .member("scores_computed", cycle.work.scores_computed)
        .member("nodes_scanned", cycle.work.nodes_scanned)
        .member("undo_steps", cycle.work.undo_steps)
        .end_object();
  json.end_array();
}

std::string outcome_json(std::optional<std::string_view> id, const std::vector<VolcanoCycle>& cycles, const CaseTiming* timing) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  if (id) json.member("id", *id);
  Names binds, evict_reasons;
  std::map<std::string, Names> annotations;
  std::vector<std::string> evicted;
  for (const auto& cycle : cycles) {
    binds.insert(cycle.binds.begin(), cycle.binds.end());
    annotations.insert(cycle.bind_annotations.begin(), cycle.bind_annotations.end());
    evict_reasons.insert(cycle.evict_reasons.begin(), cycle.evict_reasons.end());
    evicted.insert(evicted.end(), cycle.evicted.begin(), cycle.evicted.end());
  }
  std::sort(evicted.begin(), evicted.end());
  write(json, "binds", binds);
  if (!annotations.empty()) {
    json.key("bind_annotations").begin_object();
    for (const auto& [pod, notes] : annotations) write(json, pod, notes);
    json.end_object();
  }
  write(json, "evicted", evicted);
  write(json, "evict_reasons", evict_reasons);
  if (!evicted.empty()) write_evictions(json, cycles);
  if (!cycles.empty()) {
    write(json, "pipelined", cycles.back().pipelined);
    write_state(json, cycles.back());
  }
  if (cycles.size() > 1) {
    json.key("per_cycle").begin_array();
    for (const auto& cycle : cycles) {
      json.begin_object();
      write(json, "binds", cycle.binds);
      write(json, "evicted", cycle.evicted);
      write(json, "pipelined", cycle.pipelined);
      write(json, "podgroup_phase", cycle.podgroup_phase);
      json.end_object();
    }
    json.end_array();
  }
  if (const auto warnings = warnings_of(cycles); !warnings.empty()) write(json, "warnings", warnings);
  if (timing != nullptr) write_timing(json, *timing);
  json.end_object();
  return out;
}

}  // namespace muster
