// Kinds of Kubernetes itself, but for pods and storage.

#include <array>

#include "codec/kinds.h"
#include "codec/object_fields.h"

namespace muster {
namespace {

constexpr std::pair<std::string_view, TaintEffect> kTaintEffects[] = {{"NoSchedule", TaintEffect::kNoSchedule},
                                                                      {"NoExecute", TaintEffect::kNoExecute},
                                                                      {"PreferNoSchedule", TaintEffect::kPreferNoSchedule}};

bool read_taint(JsonDecoder& json, JsonValue& value, Taint& out) {
  bool has_effect = false;
  const bool ok = json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "key") return json.string(field, out.key);
    if (key == "value") return json.string(field, out.value);
    if (key == "effect") {
      has_effect = true;
      return read_choice(json, field, kTaintEffects, out.effect);
    }
    return true;
  });
  if (ok && !has_effect) return json.wrong(value, "has no effect");
  return ok;
}

bool read_image(JsonDecoder& json, JsonValue& value, NodeImage& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "names") return read_strings(json, field, out.names);
    if (key == "sizeBytes") return json.integer(field, out.bytes);
    return true;
  });
}

constexpr std::array<std::string_view, 7> kNodeFields = {"configSource", "externalID",    "podCIDR", "podCIDRs",
                                                         "providerID",   "unschedulable", "taints"};
constexpr std::array<std::string_view, 14> kNodeStatusFields = {
    "addresses", "allocatable", "capacity", "conditions", "config",          "daemonEndpoints", "declaredFeatures",
    "features",  "images",      "nodeInfo", "phase",      "runtimeHandlers", "volumesAttached", "volumesInUse"};

bool read_node_spec(JsonDecoder& json, JsonValue& value, Node& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "taints") return read_list(json, field, out.taints, read_taint);
    if (key == "unschedulable") return json.boolean(field, out.unschedulable);
    return json.perhaps_mistyped(field, "spec", key, kNodeFields);
  });
}

bool read_node_status(JsonDecoder& json, JsonValue& value, Node& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "allocatable") return read_countable_amounts(json, field, out.allocatable);
    if (key == "capacity") return read_countable_amounts(json, field, out.capacity);
    if (key == "conditions") return read_conditions(json, field, out.conditions);
    if (key == "images") return read_list(json, field, out.images, read_image);
    return json.perhaps_mistyped(field, "status", key, kNodeStatusFields);
  });
}

bool read_quota_status(JsonDecoder& json, JsonValue& value, ResourceQuota& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "hard") return read_resources(json, field, out.hard);
    if (key == "used") return read_resources(json, field, out.used);
    return true;
  });
}

bool read_budget_status(JsonDecoder& json, JsonValue& value, PodDisruptionBudget& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "disruptionsAllowed") return json.integer(field, out.disruptions_allowed);
    if (key == "disruptedPods") {
      out.disrupted_pods.clear();
      return json.object(field, [&](std::string_view pod, JsonValue&) {
        out.disrupted_pods.emplace_back(pod);
        return true;
      });
    }
    return true;
  });
}

}  // namespace

bool read_kind(JsonDecoder& json, JsonValue& value, Node& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_node_spec(json, field, out);
    if (key == "status") return read_node_status(json, field, out);
    return json.perhaps_mistyped(field, "", key, kObjectFields);
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, Namespace& out) {
  return json.object(value,
                     [&](std::string_view key, JsonValue& field) { return key != "metadata" || read_meta(json, field, out.meta); });
}

bool read_kind(JsonDecoder& json, JsonValue& value, ResourceQuota& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "status") return read_quota_status(json, field, out);
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, PriorityClass& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "value") return json.integer(field, out.value);
    if (key == "globalDefault") return json.boolean(field, out.global_default);
    if (key == "preemptionPolicy") return json.string(field, out.preemption_policy);
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, PodDisruptionBudget& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "status") return read_budget_status(json, field, out);
    if (key == "spec")
      return json.object(field, [&](std::string_view inner, JsonValue& selector) {
        return inner != "selector" || read_optional(json, selector, out.selector, read_label_selector);
      });
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, ConfigMap& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "data") return read_string_map(json, field, out.data);
    return true;
  });
}

}  // namespace muster
