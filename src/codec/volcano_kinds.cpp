// The custom resources of Volcano.

#include <array>

#include "codec/kinds.h"
#include "codec/object_fields.h"

namespace muster {
namespace {

constexpr std::pair<std::string_view, TopologyMode> kTopologyModes[] = {
    {"hard", TopologyMode::kHard}, {"soft", TopologyMode::kSoft}, {"", TopologyMode::kHard}};
constexpr std::pair<std::string_view, HyperNodeMember::Type> kMemberTypes[] = {{"Node", HyperNodeMember::Type::kNode},
                                                                               {"HyperNode", HyperNodeMember::Type::kHyperNode}};

// All fields of these objects, also those that the scheduler does not read, so that mistyped ones can be told.
constexpr std::array<std::string_view, 3> kTopologyFields = {"mode", "highestTierAllowed", "highestTierName"};
constexpr std::array<std::string_view, 6> kSubGroupFields = {"name",         "networkTopology", "subGroupSize",
                                                             "minSubGroups", "labelSelector",   "matchLabelKeys"};
constexpr std::array<std::string_view, 7> kGroupFields = {"minMember",    "queue",           "minTaskMember", "priorityClassName",
                                                          "minResources", "networkTopology", "subGroupPolicy"};
constexpr std::array<std::string_view, 2> kNodeGroupFields = {"requiredDuringSchedulingIgnoredDuringExecution",
                                                              "preferredDuringSchedulingIgnoredDuringExecution"};
constexpr std::array<std::string_view, 2> kQueueAffinityFields = {"nodeGroupAffinity", "nodeGroupAntiAffinity"};
constexpr std::array<std::string_view, 11> kQueueFields = {"weight",         "capability", "deserved",       "reclaimable",
                                                           "parent",         "priority",   "affinity",       "guarantee",
                                                           "extendClusters", "type",       "dequeueStrategy"};
constexpr std::array<std::string_view, 3> kMemberSelectorFields = {"exactMatch", "regexMatch", "labelMatch"};
constexpr std::array<std::string_view, 2> kMemberFields = {"type", "selector"};
constexpr std::array<std::string_view, 3> kHyperNodeFields = {"tier", "tierName", "members"};

bool read_topology(JsonDecoder& json, JsonValue& value, NetworkTopology& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (is_field(key, "mode")) return read_choice(json, field, kTopologyModes, out.mode);
    if (is_field(key, "highestTierAllowed")) return json.integer(field, out.highest_tier);
    if (is_field(key, "highestTierName")) return json.string(field, out.highest_tier_name);
    return json.unknown(field, "networkTopology", key, kTopologyFields);
  });
}

bool read_sub_group(JsonDecoder& json, JsonValue& value, SubGroupPolicy& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (is_field(key, "name")) return json.string(field, out.name);
    if (is_field(key, "networkTopology")) return read_optional(json, field, out.topology, read_topology);
    if (is_field(key, "subGroupSize")) return json.integer(field, out.size);
    if (is_field(key, "minSubGroups")) return json.integer(field, out.min_sub_groups);
    if (is_field(key, "labelSelector")) return read_optional(json, field, out.selector, read_label_selector);
    if (is_field(key, "matchLabelKeys")) return read_strings(json, field, out.match_label_keys);
    return json.unknown(field, "spec.subGroupPolicy[]", key, kSubGroupFields);
  });
}

bool read_task_minimums(JsonDecoder& json, JsonValue& value, std::map<std::string, std::int32_t>& out) {
  out.clear();
  return json.object(value, [&](std::string_view key, JsonValue& field) { return json.integer(field, out[std::string(key)]); });
}

bool read_group_spec(JsonDecoder& json, JsonValue& value, PodGroup& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (is_field(key, "minMember")) return json.integer(field, out.min_member);
    if (is_field(key, "queue")) return json.string(field, out.queue);
    if (is_field(key, "minTaskMember")) return read_task_minimums(json, field, out.min_task_member);
    if (is_field(key, "priorityClassName")) return json.string(field, out.priority_class);
    if (is_field(key, "minResources")) return read_optional(json, field, out.min_resources, read_resources);
    if (is_field(key, "networkTopology")) return read_optional(json, field, out.topology, read_topology);
    if (is_field(key, "subGroupPolicy")) return read_list(json, field, out.sub_groups, read_sub_group);
    return json.unknown(field, "spec", key, kGroupFields);
  });
}

bool read_group_status(JsonDecoder& json, JsonValue& value, PodGroup& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (is_field(key, "phase")) return json.string(field, out.phase);
    if (is_field(key, "conditions")) return read_conditions(json, field, out.conditions);
    if (is_field(key, "running")) return json.integer(field, out.running);
    if (is_field(key, "succeeded")) return json.integer(field, out.succeeded);
    if (is_field(key, "failed")) return json.integer(field, out.failed);
    return true;
  });
}

bool read_node_groups(JsonDecoder& json, JsonValue& value, NodeGroupAffinity& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "requiredDuringSchedulingIgnoredDuringExecution") return read_strings(json, field, out.required);
    if (key == "preferredDuringSchedulingIgnoredDuringExecution") return read_strings(json, field, out.preferred);
    return json.unknown(field, "spec.affinity", key, kNodeGroupFields);
  });
}

bool read_queue_affinity(JsonDecoder& json, JsonValue& value, Queue& out) {
  out.has_affinity = true;
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "nodeGroupAffinity") return read_optional(json, field, out.affinity, read_node_groups);
    if (key == "nodeGroupAntiAffinity") return read_optional(json, field, out.anti_affinity, read_node_groups);
    return json.unknown(field, "spec.affinity", key, kQueueAffinityFields);
  });
}

bool read_queue_spec(JsonDecoder& json, JsonValue& value, Queue& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "weight") {
      out.has_weight = true;
      return json.integer(field, out.weight) && (out.weight >= 0 || json.wrong(field, "must not be negative"));
    }
    if (key == "capability") return read_amounts(json, field, out.capability);
    if (key == "deserved") return read_amounts(json, field, out.deserved);
    if (key == "reclaimable") return json.boolean(field, out.reclaimable.emplace());
    if (key == "parent") return json.string(field, out.parent);
    if (key == "priority") return json.integer(field, out.priority);
    if (key == "affinity") return read_queue_affinity(json, field, out);
    if (key == "guarantee")
      return json.object(field, [&](std::string_view inner, JsonValue& list) {
        return inner != "resource" || read_amounts(json, list, out.guarantee);
      });
    return json.unknown_unless_known(field, "spec", key, kQueueFields);
  });
}

bool read_queue_status(JsonDecoder& json, JsonValue& value, Queue& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "state") return json.string(field, out.state);
    if (key == "allocated") return read_optional(json, field, out.allocated, read_resources);
    return true;
  });
}

// An object with one string in it: exactMatch.name, regexMatch.pattern.
bool read_only_string(JsonDecoder& json, JsonValue& value, std::string_view name, std::string& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) { return key != name || json.string(field, out); });
}

bool read_member_selector(JsonDecoder& json, JsonValue& value, HyperNodeMember& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "exactMatch") return read_only_string(json, field, "name", out.exact);
    if (key == "regexMatch") return read_only_string(json, field, "pattern", out.pattern);
    if (key == "labelMatch") return read_optional(json, field, out.selector, read_label_selector);
    return json.unknown(field, "spec.members[].selector", key, kMemberSelectorFields);
  });
}

bool read_member(JsonDecoder& json, JsonValue& value, HyperNodeMember& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "type") return read_choice(json, field, kMemberTypes, out.type);
    if (key == "selector") return read_member_selector(json, field, out);
    return json.unknown(field, "spec.members[]", key, kMemberFields);
  });
}

bool read_hyper_node_spec(JsonDecoder& json, JsonValue& value, HyperNode& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "tier") return json.integer(field, out.tier);
    if (key == "tierName") return json.string(field, out.tier_name);
    if (key == "members") return read_list(json, field, out.members, read_member);
    return json.unknown(field, "spec", key, kHyperNodeFields);
  });
}

// One list of strings inside an object: spec.nodesDesired, status.nodesInUse.
bool read_only_strings(JsonDecoder& json, JsonValue& value, std::string_view name, std::vector<std::string>& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) { return key != name || read_strings(json, field, out); });
}

bool read_numa_resource(JsonDecoder& json, JsonValue& value, Numatopology::Resource& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "allocatable") return json.string(field, out.allocatable);
    if (key == "capacity") return json.integer(field, out.capacity);
    return true;
  });
}

bool read_cpu(JsonDecoder& json, JsonValue& value, Numatopology::Cpu& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "numa") return json.integer(field, out.numa);
    if (key == "socket") return json.integer(field, out.socket);
    if (key == "core") return json.integer(field, out.core);
    return true;
  });
}

bool read_pod_allocation(JsonDecoder& json, JsonValue& value, Numatopology::Allocation& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "uid") return json.string(field, out.uid);
    if (key == "name") return json.string(field, out.name);
    if (key == "namespace") return json.string(field, out.ns);
    return true;
  });
}

// A map of objects by names of the user's, each read by `read(json, value, T&)`.
template <class T, class Read>
bool read_named(JsonDecoder& json, JsonValue& value, std::map<std::string, T>& out, Read read) {
  out.clear();
  return json.object(value, [&](std::string_view key, JsonValue& field) { return read(json, field, out[std::string(key)]); });
}

bool read_numa_spec(JsonDecoder& json, JsonValue& value, Numatopology& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "policies") return read_string_map(json, field, out.policies);
    if (key == "numares") return read_named(json, field, out.resources, read_numa_resource);
    if (key == "cpuDetail") return read_named(json, field, out.cpus, read_cpu);
    if (key == "resReserved") return read_string_map(json, field, out.reserved);
    if (key == "podAllocations") return read_list(json, field, out.pod_allocations, read_pod_allocation);
    return true;
  });
}

}  // namespace

bool read_kind(JsonDecoder& json, JsonValue& value, PodGroup& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_group_spec(json, field, out);
    if (key == "status") return read_group_status(json, field, out);
    return json.perhaps_mistyped(field, "", key, kObjectFields);
  });
}

bool read_flat_pod_group(JsonDecoder& json, JsonValue& value, PodGroup& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (is_field(key, "spec")) return read_group_spec(json, field, out);
    if (is_field(key, "status")) return read_group_status(json, field, out);
    return read_meta_field(json, key, field, out.meta);
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, Queue& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_queue_spec(json, field, out);
    if (key == "status") return read_queue_status(json, field, out);
    return json.perhaps_mistyped(field, "", key, kObjectFields);
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, HyperNode& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_hyper_node_spec(json, field, out);
    return json.perhaps_mistyped(field, "", key, kObjectFields);
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, NodeShard& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_only_strings(json, field, "nodesDesired", out.nodes_desired);
    if (key == "status") return read_only_strings(json, field, "nodesInUse", out.nodes_in_use);
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, Numatopology& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_numa_spec(json, field, out);
    return true;
  });
}

}  // namespace muster
