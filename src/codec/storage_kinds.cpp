#include "codec/kinds.h"
#include "codec/object_fields.h"

namespace muster {
namespace {

bool read_phase(JsonDecoder& json, JsonValue& value, std::string& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) { return key != "phase" || json.string(field, out); });
}

bool read_claim_reference(JsonDecoder& json, JsonValue& value, PersistentVolume& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "namespace") return json.string(field, out.claim_namespace);
    if (key == "name") return json.string(field, out.claim_name);
    if (key == "uid") return json.string(field, out.claim_uid);
    return true;
  });
}

bool read_volume_spec(JsonDecoder& json, JsonValue& value, PersistentVolume& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "claimRef") return read_claim_reference(json, field, out);
    if (key == "storageClassName") return json.string(field, out.storage_class);
    if (key == "accessModes") return read_strings(json, field, out.access_modes);
    if (key == "capacity") return read_amounts(json, field, out.capacity);
    if (key == "csi")
      return json.object(field, [&](std::string_view inner, JsonValue& driver) {
        return inner != "driver" || json.string(driver, out.csi_driver);
      });
    if (key == "nodeAffinity")
      return json.object(field, [&](std::string_view inner, JsonValue& required) {
        return inner != "required" || read_optional(json, required, out.node_affinity, read_node_selector);
      });
    return true;
  });
}

bool read_volume_claim_spec(JsonDecoder& json, JsonValue& value, PersistentVolumeClaim& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "volumeName") return json.string(field, out.volume_name);
    if (key == "storageClassName") return json.string(field, out.storage_class);
    if (key == "accessModes") return read_strings(json, field, out.access_modes);
    if (key == "resources")
      return json.object(field, [&](std::string_view inner, JsonValue& list) {
        return inner != "requests" || read_amounts(json, list, out.requests);
      });
    return true;
  });
}

// An allowed topology lists values only; its operator is always In.
bool read_topology_requirement(JsonDecoder& json, JsonValue& value, Requirement& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "key") return json.string(field, out.key);
    if (key == "values") return read_strings(json, field, out.values);
    return true;
  });
}

bool read_topology_term(JsonDecoder& json, JsonValue& value, NodeSelectorTerm& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    return key != "matchLabelExpressions" || read_list(json, field, out.expressions, read_topology_requirement);
  });
}

bool read_parameters(JsonDecoder& json, JsonValue& value, std::map<std::string, std::string>& out) {
  out.clear();
  return json.object(value, [&](std::string_view key, JsonValue& field) { return json.string(field, out[std::string(key)]); });
}

bool read_driver(JsonDecoder& json, JsonValue& value, CsiDriverLimit& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.driver);
    if (key == "allocatable")
      return json.object(
          field, [&](std::string_view inner, JsonValue& count) { return inner != "count" || json.integer(count, out.count); });
    return true;
  });
}

}  // namespace

bool read_kind(JsonDecoder& json, JsonValue& value, PersistentVolume& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_volume_spec(json, field, out);
    if (key == "status") return read_phase(json, field, out.phase);
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, PersistentVolumeClaim& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec") return read_volume_claim_spec(json, field, out);
    if (key == "status") return read_phase(json, field, out.phase);
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, StorageClass& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "provisioner") return json.string(field, out.provisioner);
    if (key == "volumeBindingMode") return json.string(field, out.binding_mode);
    if (key == "parameters") return read_parameters(json, field, out.parameters);
    if (key == "allowedTopologies") return read_list(json, field, out.allowed_topologies, read_topology_term);
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, CsiNode& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec")
      return json.object(field, [&](std::string_view inner, JsonValue& drivers) {
        return inner != "drivers" || read_list(json, drivers, out.drivers, read_driver);
      });
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, CsiDriver& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "spec")
      return json.object(field, [&](std::string_view inner, JsonValue& flag) {
        return inner != "storageCapacity" || json.boolean(flag, out.tracks_capacity);
      });
    return true;
  });
}

bool read_kind(JsonDecoder& json, JsonValue& value, CsiStorageCapacity& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "metadata") return read_meta(json, field, out.meta);
    if (key == "storageClassName") return json.string(field, out.storage_class);
    if (key == "nodeTopology") return read_optional(json, field, out.nodes, read_label_selector);
    if (key == "capacity") return read_optional(json, field, out.capacity, read_quantity);
    if (key == "maximumVolumeSize") return read_optional(json, field, out.largest_volume, read_quantity);
    return true;
  });
}

}  // namespace muster
