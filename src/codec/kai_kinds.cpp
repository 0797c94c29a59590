// The custom resources of KAI's scheduler.

#include <array>

#include "codec/input.h"
#include "codec/json_syntax.h"
#include "codec/kinds.h"
#include "codec/object_fields.h"

namespace muster {
namespace {

bool read_duration(JsonDecoder& json, JsonValue& value, std::int64_t& out) {
  std::string_view text;
  if (!json.text(value, text)) return false;
  const auto parsed = parse_go_duration(text);
  if (!parsed) return json.wrong(value, parsed.error().message);
  out = *parsed;
  return true;
}

constexpr std::array<std::string_view, 3> kQueueResourceFields = {"quota", "limit", "overQuotaWeight"};
constexpr std::array<std::string_view, 3> kQueueResources = {"gpu", "cpu", "memory"};
constexpr std::array<std::string_view, 6> kQueueFields = {"displayName", "parentQueue",       "priority",
                                                          "resources",   "preemptMinRuntime", "reclaimMinRuntime"};
constexpr std::array<std::string_view, 3> kConstraintFields = {"topology", "requiredTopologyLevel", "preferredTopologyLevel"};
constexpr std::array<std::string_view, 5> kSubGroupFields = {"name", "parent", "minMember", "minSubGroup", "topologyConstraint"};
constexpr std::array<std::string_view, 11> kGroupFields = {"minMember",         "minSubGroup",         "queue",
                                                           "priorityClassName", "preemptibility",      "topologyConstraint",
                                                           "subGroups",         "markUnschedulable",   "schedulingBackoff",
                                                           "preemptionDelay",   "stalenessGracePeriod"};
constexpr std::array<std::string_view, 9> kBindFields = {"podName",
                                                         "selectedNode",
                                                         "receivedResourceType",
                                                         "receivedGPU",
                                                         "selectedGPUGroups",
                                                         "resourceClaimAllocations",
                                                         "extendedResourceClaimAllocation",
                                                         "predictedNUMAZones",
                                                         "backoffLimit"};
constexpr std::array<std::string_view, 2> kClaimFields = {"name", "allocation"};
constexpr std::array<std::string_view, 3> kBindStatusFields = {"phase", "reason", "failedAttempts"};
constexpr std::array<std::string_view, 1> kTopologyFields = {"levels"};
constexpr std::array<std::string_view, 2> kLevelFields = {"nodeLabel", "alias"};
constexpr std::array<std::string_view, 2> kZoneShareFields = {"zone", "amount"};

bool read_queue_resource(JsonDecoder& json, JsonValue& value, std::string_view path, KaiQueueResource& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "quota") return json.number(field, out.quota);
    if (key == "limit") return json.number(field, out.limit);
    if (key == "overQuotaWeight") return json.number(field, out.over_quota_weight);
    return json.unknown(field, path, key, kQueueResourceFields);
  });
}

bool read_queue_resources(JsonDecoder& json, JsonValue& value, KaiQueue& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "gpu") return read_queue_resource(json, field, "spec.resources.gpu", out.gpu);
    if (key == "cpu") return read_queue_resource(json, field, "spec.resources.cpu", out.cpu);
    if (key == "memory") return read_queue_resource(json, field, "spec.resources.memory", out.memory);
    return json.unknown(field, "spec.resources", key, kQueueResources);
  });
}

bool read_queue_spec(JsonDecoder& json, JsonValue& value, KaiQueue& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "displayName") return json.string(field, out.display_name);
    if (key == "parentQueue") return json.string(field, out.parent);
    if (key == "priority") return json.integer(field, out.priority);
    if (key == "resources") return read_queue_resources(json, field, out);
    if (key == "preemptMinRuntime") return read_optional(json, field, out.preempt_min_runtime, read_duration);
    if (key == "reclaimMinRuntime") return read_optional(json, field, out.reclaim_min_runtime, read_duration);
    return json.unknown(field, "spec", key, kQueueFields);
  });
}

bool read_constraint(JsonDecoder& json, JsonValue& value, KaiTopologyConstraint& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "topology") return json.string(field, out.topology);
    if (key == "requiredTopologyLevel") return json.string(field, out.required_level);
    if (key == "preferredTopologyLevel") return json.string(field, out.preferred_level);
    return json.unknown(field, "topologyConstraint", key, kConstraintFields);
  });
}

bool read_sub_group(JsonDecoder& json, JsonValue& value, KaiSubGroup& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "parent") return json.string(field, out.parent);
    if (key == "minMember") return json.integer(field, out.min_member);
    if (key == "minSubGroup") return json.integer(field, out.min_sub_group);
    if (key == "topologyConstraint") return read_constraint(json, field, out.constraint);
    return json.unknown(field, "spec.subGroups[]", key, kSubGroupFields);
  });
}

bool read_group_spec(JsonDecoder& json, JsonValue& value, KaiPodGroup& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "minMember") return json.integer(field, out.min_member);
    if (key == "minSubGroup") return json.integer(field, out.min_sub_group);
    if (key == "queue") return json.string(field, out.queue);
    if (key == "priorityClassName") return json.string(field, out.priority_class);
    if (key == "preemptibility") return json.string(field, out.preemptibility);
    if (key == "topologyConstraint") return read_constraint(json, field, out.constraint);
    if (key == "subGroups") return read_list(json, field, out.sub_groups, read_sub_group);
    if (key == "markUnschedulable") return json.boolean(field, out.mark_unschedulable.emplace());
    if (key == "schedulingBackoff") return json.integer(field, out.scheduling_backoff);
    if (key == "preemptionDelay") return read_optional(json, field, out.preemption_delay, read_duration);
    if (key == "stalenessGracePeriod") return read_optional(json, field, out.staleness_grace_period, read_duration);
    return json.unknown(field, "spec", key, kGroupFields);
  });
}

bool read_reason(JsonDecoder& json, JsonValue& value, KaiSchedulingCondition::Reason& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "reason") return json.string(field, out.code);
    return key != "message" || json.string(field, out.message);
  });
}

bool read_scheduling_condition(JsonDecoder& json, JsonValue& value, KaiSchedulingCondition& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "type") return json.string(field, out.type);
    if (key == "nodePool") return json.string(field, out.node_pool);
    if (key == "reason") return json.string(field, out.reason);
    if (key == "message") return json.string(field, out.message);
    if (key == "transitionID") return json.string(field, out.transition_id);
    if (key == "status") return json.string(field, out.status);
    if (key == "lastTransitionTime") return read_optional(json, field, out.last_transition, read_time);
    if (key == "reasons") return read_list(json, field, out.reasons, read_reason);
    return true;
  });
}

bool read_claim_allocation(JsonDecoder& json, JsonValue& value, BindRequest::Claim& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "allocation") return read_device_allocation(json, field, out.allocation);
    return json.unknown(field, "spec.resourceClaimAllocations[]", key, kClaimFields);
  });
}

bool read_bind_spec(JsonDecoder& json, JsonValue& value, BindRequest& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "podName") return json.string(field, out.pod);
    if (key == "selectedNode") return json.string(field, out.node);
    if (key == "receivedResourceType") return json.string(field, out.received_type);
    if (key == "selectedGPUGroups") return read_strings(json, field, out.gpu_groups);
    if (key == "resourceClaimAllocations") return read_list(json, field, out.claims, read_claim_allocation);
    if (key == "predictedNUMAZones") return read_numa_zones(json, field, out.numa_zones);
    if (key == "backoffLimit") return json.integer(field, out.backoff_limit);
    return json.unknown_unless_known(field, "spec", key, kBindFields);
  });
}

bool read_bind_status(JsonDecoder& json, JsonValue& value, BindRequest& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "phase") return json.string(field, out.phase);
    if (key == "reason") return json.string(field, out.reason);
    if (key == "failedAttempts") return json.integer(field, out.failed_attempts);
    return json.unknown_unless_known(field, "status", key, kBindStatusFields);
  });
}

bool read_level(JsonDecoder& json, JsonValue& value, KaiTopology::Level& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "nodeLabel") return json.string(field, out.node_label);
    if (key == "alias") return json.string(field, out.alias);
    return json.unknown(field, "spec.levels[]", key, kLevelFields);
  });
}

bool read_numa_zone(JsonDecoder& json, JsonValue& value, NumaZoneShare& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "zone") return json.string(field, out.zone);
    if (key == "amount") return read_resources(json, field, out.amount);
    return json.unknown(field, "spec.predictedNUMAZones[]", key, kZoneShareFields);
  });
}

bool read_zone_resource(JsonDecoder& json, JsonValue& value, NodeResourceTopology::Resource& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "allocatable") return read_quantity(json, field, out.allocatable);
    if (key == "available") return read_quantity(json, field, out.available);
    return true;
  });
}

bool read_zone(JsonDecoder& json, JsonValue& value, NodeResourceTopology::Zone& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "type") return json.string(field, out.type);
    if (key == "resources") return read_list(json, field, out.resources, read_zone_resource);
    return true;
  });
}

bool read_attribute(JsonDecoder& json, JsonValue& value, NodeResourceTopology::Attribute& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "value") return json.string(field, out.value);
    return true;
  });
}

}  // namespace

bool read_numa_zones(JsonDecoder& json, JsonValue& value, std::vector<NumaZoneShare>& out) {
  return read_list(json, value, out, read_numa_zone);
}

void write_numa_zones(JsonWriter& json, const std::vector<NumaZoneShare>& zones) {
  json.begin_array();
  for (const auto& share : zones) {
    json.begin_object().member("zone", share.zone).key("amount").begin_object();
    for (const auto& [name, quantity] : share.amount) json.member(name, quantity.text());
    json.end_object().end_object();
  }
  json.end_array();
}

std::vector<NumaZoneShare> numa_zones_of(std::string_view annotation) {
  constexpr int kMaxNesting = 8;
  std::vector<NumaZoneShare> zones;
  const auto input = Input::of_text(annotation, "annotation");
  if (!input) return zones;
  const auto text = input->text();
  const auto begin = skip_json_space(text, 0);
  if (begin == text.size() || text[begin] != '[') return zones;
  const auto end = json_value_end(text, begin, kMaxNesting);
  if (!end || skip_json_space(text, *end) != text.size()) return zones;
  JsonDecoder json;
  if (!json.document(text, begin, *end, [&](JsonValue& root) { return read_numa_zones(json, root, zones); })) zones.clear();
  return zones;
}

bool read_kind(JsonDecoder& json, JsonValue& value, NodeResourceTopology& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "topologyPolicies") return read_strings(json, field, out.policies);
    if (key == "attributes") return read_list(json, field, out.attributes, read_attribute);
    if (key == "zones") return read_list(json, field, out.zones, read_zone);
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, KaiQueue& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_queue_spec(json, field, out);
    return json.perhaps_mistyped(field, "", key, kObjectFields);
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, KaiPodGroup& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_group_spec(json, field, out);
    if (key == "status")
      return json.object(field, [&](std::string_view inner, JsonValue& list) {
        return inner != "schedulingConditions" || read_list(json, list, out.conditions, read_scheduling_condition);
      });
    return json.perhaps_mistyped(field, "", key, kObjectFields);
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, BindRequest& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_bind_spec(json, field, out);
    if (key == "status") return read_bind_status(json, field, out);
    return json.perhaps_mistyped(field, "", key, kObjectFields);
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, KaiTopology& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec")
      return json.object(field, [&](std::string_view inner, JsonValue& levels) {
        if (inner == "levels") return read_list(json, levels, out.levels, read_level);
        return json.unknown(levels, "spec", inner, kTopologyFields);
      });
    return json.perhaps_mistyped(field, "", key, kObjectFields);
  });
}

}  // namespace muster
