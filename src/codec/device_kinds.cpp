#include "codec/kinds.h"
#include "codec/object_fields.h"

namespace muster {
namespace {

// ------------------------------------------------------------------------------------------------------------ devices

bool read_attribute(JsonDecoder& json, JsonValue& value, DeviceAttribute& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "int") return json.integer(field, out.emplace<std::int64_t>());
    if (key == "bool") return json.boolean(field, out.emplace<bool>());
    if (key == "string") return json.string(field, out.emplace<std::string>());
    if (key == "version") return json.string(field, out.emplace<VersionText>().text);
    return true;
  });
}

bool read_range(JsonDecoder& json, JsonValue& value, CapacityPolicy::Range& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "min") return read_quantity(json, field, out.min);
    if (key == "max") return read_optional(json, field, out.max, read_quantity);
    if (key == "step") return read_optional(json, field, out.step, read_quantity);
    return true;
  });
}

bool read_policy(JsonDecoder& json, JsonValue& value, CapacityPolicy& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "default") return read_optional(json, field, out.fallback, read_quantity);
    if (key == "validValues") return read_list(json, field, out.values, read_quantity);
    if (key == "validRange") return read_optional(json, field, out.range, read_range);
    return true;
  });
}

bool read_capacity(JsonDecoder& json, JsonValue& value, DeviceCapacity& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "value") return read_quantity(json, field, out.value);
    if (key == "requestPolicy") return read_optional(json, field, out.policy, read_policy);
    return true;
  });
}

bool read_counters(JsonDecoder& json, JsonValue& value, Counters& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    auto& counter = out[std::string(key)];
    return json.object(
        field, [&](std::string_view inner, JsonValue& amount) { return inner != "value" || read_quantity(json, amount, counter); });
  });
}

bool read_counter_set(JsonDecoder& json, JsonValue& value, CounterSet& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name" || key == "counterSet") return json.string(field, out.name);
    if (key == "counters") return read_counters(json, field, out.counters);
    return true;
  });
}

bool read_device_taint(JsonDecoder& json, JsonValue& value, DeviceTaint& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "key") return json.string(field, out.key);
    if (key == "value") return json.string(field, out.value);
    if (key == "effect") return json.string(field, out.effect);
    return true;
  });
}

bool read_device_toleration(JsonDecoder& json, JsonValue& value, DeviceToleration& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "key") return json.string(field, out.key);
    if (key == "operator") return json.string(field, out.op);
    if (key == "value") return json.string(field, out.value);
    if (key == "effect") return json.string(field, out.effect);
    return true;
  });
}

bool read_reach_field(JsonDecoder& json, std::string_view key, JsonValue& field, NodeReach& out) {
  if (key == "nodeName") return json.string(field, out.node);
  if (key == "allNodes") return json.boolean(field, out.all);
  if (key == "nodeSelector") return read_optional(json, field, out.selector, read_node_selector);
  return true;
}

bool read_any(JsonDecoder& json, JsonValue& value, bool& out) {
  return json.array(value, [&](JsonValue&) { return out = true; });
}

// Versions before v1beta2 keep what describes a device in `basic`.
bool read_device(JsonDecoder& json, JsonValue& value, Device& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "basic") return read_device(json, field, out);
    if (key == "attributes")
      return json.object(field, [&](std::string_view name, JsonValue& attribute) {
        return read_attribute(json, attribute, out.attributes[std::string(name)]);
      });
    if (key == "capacity")
      return json.object(field, [&](std::string_view name, JsonValue& capacity) {
        return read_capacity(json, capacity, out.capacity[std::string(name)]);
      });
    if (key == "consumesCounters") return read_list(json, field, out.consumes, read_counter_set);
    if (key == "taints") return read_list(json, field, out.taints, read_device_taint);
    if (key == "bindsToNode") return json.boolean(field, out.binds_to_node);
    if (key == "bindingConditions") return read_any(json, field, out.has_binding_conditions);
    if (key == "allowMultipleAllocations") return json.boolean(field, out.shareable);
    return read_reach_field(json, key, field, out.reach);
  });
}

bool read_pool(JsonDecoder& json, JsonValue& value, ResourceSlice& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.pool);
    if (key == "generation") return json.integer(field, out.generation);
    if (key == "resourceSliceCount") return json.integer(field, out.slices_in_pool);
    return true;
  });
}

bool read_slice_spec(JsonDecoder& json, JsonValue& value, ResourceSlice& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "driver") return json.string(field, out.driver);
    if (key == "pool") return read_pool(json, field, out);
    if (key == "devices") return read_list(json, field, out.devices, read_device);
    if (key == "sharedCounters") return read_list(json, field, out.shared_counters, read_counter_set);
    if (key == "perDeviceNodeSelection") return json.boolean(field, out.reach_per_device);
    return read_reach_field(json, key, field, out.reach);
  });
}

// ------------------------------------------------------------------------------------------------------------- claims

bool read_selector(JsonDecoder& json, JsonValue& value, std::string& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key != "cel") return true;
    return json.object(field,
                       [&](std::string_view inner, JsonValue& text) { return inner != "expression" || json.string(text, out); });
  });
}

bool read_mode(JsonDecoder& json, JsonValue& value, DeviceRequest& out) {
  if (!json.string(value, out.mode_text)) return false;
  if (out.mode_text.empty()) out.mode_text = "ExactCount";
  out.mode = out.mode_text == "ExactCount" ? AllocationMode::kExactCount
             : out.mode_text == "All"      ? AllocationMode::kAll
                                           : AllocationMode::kUnknown;
  return true;
}

// What a request, the wish in its `exactly`, and an alternative have in common.
bool read_wish_field(JsonDecoder& json, std::string_view key, JsonValue& field, DeviceRequest& out) {
  if (key == "name") return json.string(field, out.name);
  if (key == "deviceClassName") {
    out.exact = true;
    return json.string(field, out.device_class);
  }
  if (key == "selectors") return read_list(json, field, out.selectors, read_selector);
  if (key == "allocationMode") return read_mode(json, field, out);
  if (key == "count") return json.integer(field, out.count);
  if (key == "adminAccess") return json.boolean(field, out.admin_access);
  if (key == "tolerations") return read_list(json, field, out.tolerations, read_device_toleration);
  if (key == "capacity")
    return json.object(field, [&](std::string_view inner, JsonValue& requests) {
      return inner != "requests" || read_resources(json, requests, out.capacity);
    });
  return true;
}

bool read_alternative(JsonDecoder& json, JsonValue& value, DeviceRequest& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) { return read_wish_field(json, key, field, out); });
}

// Versions before v1beta2 have the fields of `exactly` in the request itself.
bool read_request(JsonDecoder& json, JsonValue& value, DeviceRequest& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "exactly") {
      out.exact = true;
      return json.object(field, [&](std::string_view inner, JsonValue& wish) {
        return inner == "name" || read_wish_field(json, inner, wish, out);
      });
    }
    if (key == "firstAvailable") {
      out.has_alternatives = true;
      return read_list(json, field, out.alternatives, read_alternative);
    }
    return read_wish_field(json, key, field, out);
  });
}

bool read_constraint(JsonDecoder& json, JsonValue& value, DeviceConstraint& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "requests") return read_strings(json, field, out.requests);
    if (key == "matchAttribute") return json.string(field, out.match_attribute);
    if (key == "distinctAttribute") return json.string(field, out.distinct_attribute);
    return true;
  });
}

bool read_config(JsonDecoder& json, JsonValue& value, DriverConfig& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "requests") return read_strings(json, field, out.requests);
    if (key == "opaque") return json.object_text(field, out.opaque);
    return true;
  });
}

bool read_claim_spec(JsonDecoder& json, JsonValue& value, ResourceClaim& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key != "devices") return true;
    return json.object(field, [&](std::string_view inner, JsonValue& list) {
      if (inner == "requests") return read_list(json, list, out.requests, read_request);
      if (inner == "constraints") return read_list(json, list, out.constraints, read_constraint);
      if (inner == "config") return read_list(json, list, out.config, read_config);
      return true;
    });
  });
}

bool read_result(JsonDecoder& json, JsonValue& value, AllocatedDevice& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "request") return json.string(field, out.request);
    if (key == "driver") return json.string(field, out.driver);
    if (key == "pool") return json.string(field, out.pool);
    if (key == "device") return json.string(field, out.device);
    if (key == "adminAccess") return json.boolean(field, out.admin_access);
    if (key == "shareID") {
      std::string_view id;
      out.shared = true;
      return json.text(field, id);
    }
    if (key == "consumedCapacity") return read_resources(json, field, out.consumed);
    return true;
  });
}

bool read_consumer(JsonDecoder& json, JsonValue& value, ClaimConsumer& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "apiGroup") return json.string(field, out.group);
    if (key == "resource") return json.string(field, out.resource);
    if (key == "name") return json.string(field, out.name);
    if (key == "uid") return json.string(field, out.uid);
    return true;
  });
}

}  // namespace

bool read_device_allocation(JsonDecoder& json, JsonValue& value, DeviceAllocation& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "nodeSelector") return read_optional(json, field, out.nodes, read_node_selector);
    if (key == "devices")
      return json.object(field, [&](std::string_view inner, JsonValue& results) {
        return inner != "results" || read_list(json, results, out.devices, read_result);
      });
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, ResourceSlice& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_slice_spec(json, field, out);
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, DeviceClass& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec")
      return json.object(field, [&](std::string_view inner, JsonValue& part) {
        if (inner == "selectors") return read_list(json, part, out.selectors, read_selector);
        if (inner == "config") return read_list(json, part, out.config, read_config);
        if (inner == "extendedResourceName") return json.string(part, out.extended_resource);
        return true;
      });
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, ResourceClaim& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_claim_spec(json, field, out);
    if (key == "status")
      return json.object(field, [&](std::string_view inner, JsonValue& part) {
        if (inner == "allocation") return read_optional(json, part, out.allocation, read_device_allocation);
        if (inner == "reservedFor") return read_list(json, part, out.reserved_for, read_consumer);
        return true;
      });
    return true;
  });
}

}  // namespace muster
