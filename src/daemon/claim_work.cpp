#include "daemon/claim_work.h"

#include <algorithm>

#include "codec/json_writer.h"
#include "model/quoted.h"

namespace muster::daemon {
namespace {

std::string_view operator_text(SelectorOp op) {
  switch (op) {
    case SelectorOp::kIn: return "In";
    case SelectorOp::kNotIn: return "NotIn";
    case SelectorOp::kExists: return "Exists";
    case SelectorOp::kDoesNotExist: return "DoesNotExist";
    case SelectorOp::kGt: return "Gt";
    case SelectorOp::kLt: return "Lt";
  }
  return "In";
}

void write_requirements(JsonWriter& json, std::string_view name, const std::vector<Requirement>& requirements) {
  if (requirements.empty()) return;
  json.key(name).begin_array();
  for (const auto& requirement : requirements) {
    json.begin_object().member("key", requirement.key).member("operator", operator_text(requirement.op));
    if (!requirement.values.empty()) {
      json.key("values").begin_array();
      for (const auto& value : requirement.values) json.value(value);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

void write_nodes(JsonWriter& json, const NodeSelector& nodes) {
  json.key("nodeSelector").begin_object().key("nodeSelectorTerms").begin_array();
  for (const auto& term : nodes.terms) {
    json.begin_object();
    write_requirements(json, "matchExpressions", term.expressions);
    write_requirements(json, "matchFields", term.fields);
    json.end_object();
  }
  json.end_array().end_object();
}

// What was asked for in a claim under the name that its devices go by: "request" or "request/alternative".
const DeviceRequest* find_request(const ResourceClaim& claim, std::string_view name) {
  for (const auto& request : claim.requests) {
    if (request.name == name) return &request;
    for (const auto& alternative : request.alternatives)
      if (name == request.name + "/" + alternative.name) return &alternative;
  }
  return nullptr;
}

void write_tolerations(JsonWriter& json, const std::vector<DeviceToleration>& tolerations) {
  if (tolerations.empty()) return;
  json.key("tolerations").begin_array();
  for (const auto& toleration : tolerations) {
    json.begin_object();
    if (!toleration.key.empty()) json.member("key", toleration.key);
    json.member("operator", toleration.op);
    if (!toleration.value.empty()) json.member("value", toleration.value);
    if (!toleration.effect.empty()) json.member("effect", toleration.effect);
    json.end_object();
  }
  json.end_array();
}

void write_device(JsonWriter& json, const AllocatedDevice& device, const DeviceRequest* request, ShareNames& shares) {
  json.begin_object().member("request", device.request).member("driver", device.driver);
  json.member("pool", device.pool).member("device", device.device);
  if (device.admin_access) json.member("adminAccess", true);
  if (request != nullptr) write_tolerations(json, request->tolerations);
  if (device.shared) {
    json.member("shareID", shares.next()).key("consumedCapacity").begin_object();
    for (const auto& [name, amount] : device.consumed) json.member(name, amount.text());
    json.end_object();
  }
  json.end_object();
}

bool waits_for_consumer(const VolumeCatalog& catalog, const PersistentVolumeClaim& claim) {
  const auto* storage_class = catalog.storage_class(class_of(claim));
  return !fully_bound(claim) && claim.volume_name.empty() && storage_class != nullptr &&
         storage_class->binding_mode == "WaitForFirstConsumer";
}

// A pod may mount a claim twice.
bool names(const ClaimWork& work, const PersistentVolumeClaim& claim) {
  const auto is_it = [&](const PersistentVolumeClaim& known) { return known.meta.name == claim.meta.name; };
  return std::any_of(work.provisions.begin(), work.provisions.end(), is_it) ||
         std::any_of(work.bindings.begin(), work.bindings.end(), [&](const auto& binding) { return is_it(binding.claim); });
}

const Device* find_device(const DeviceCatalog& catalog, const AllocatedDevice& wanted) {
  for (const auto* entry : catalog.pool(wanted.driver, wanted.pool).slices)
    for (const auto& device : entry->slice.devices)
      if (device.name == wanted.device) return &device;
  return nullptr;
}

}  // namespace

std::string allocation_text(const ResourceClaim& claim, const DeviceAllocation& allocation, ShareNames& shares) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("devices").begin_object().key("results").begin_array();
  for (const auto& device : allocation.devices) write_device(json, device, find_request(claim, device.request), shares);
  json.end_array();
  json.end_object();
  if (allocation.nodes) write_nodes(json, *allocation.nodes);
  json.end_object();
  return text;
}

std::string device_obstacle(const DeviceCatalog& catalog, const DeviceAllocation& allocation) {
  for (const auto& chosen : allocation.devices)
    if (const auto* device = find_device(catalog, chosen); device != nullptr && device->has_binding_conditions)
      return "device " + chosen.driver + "/" + chosen.pool + "/" + chosen.device +
             " has to be prepared before pods are bound, which this version of muster does not wait for";
  return {};
}

// Claims of classes that bind at once are nobody's business but their controller's.
void add_volumes(const VolumeCatalog& catalog, const std::vector<std::string>& claims, const std::string& node, ClaimWork& work) {
  for (const auto& key : claims) {
    const auto* claim = catalog.claim(key);
    if (claim == nullptr || !waits_for_consumer(catalog, *claim) || names(work, *claim)) continue;
    const auto& volumes = catalog.volumes_of_class(class_of(*claim));
    const auto reserved = std::find_if(volumes.begin(), volumes.end(), [&](const PersistentVolume* volume) {
      return catalog.holder(*volume, *claim) == VolumeCatalog::Holder::kThisClaim;
    });
    if (catalog.selected_node(*claim) == node)
      work.provisions.push_back(*claim);
    else if (reserved != volumes.end())
      work.bindings.push_back({**reserved, *claim});
    else
      work.obstacle = "no volume was found for persistentvolumeclaim " + in_quotes(claim->meta.name);
  }
}

void add_devices(const DeviceCatalog& catalog, const std::string& key, const std::optional<DeviceAllocation>& given,
                 ShareNames& shares, ClaimWork& work) {
  const auto* entry = catalog.claim(key);
  if (std::any_of(work.devices.begin(), work.devices.end(), [&](const auto& known) { return claim_key(known.claim) == key; }))
    return;
  if (entry == nullptr || !given) {
    work.obstacle = "resource claim " + key + " has been given no devices";
    return;
  }
  if (auto why = device_obstacle(catalog, *given); !why.empty()) work.obstacle = std::move(why);
  auto claim = entry->claim;
  claim.allocation = given;
  auto text = allocation_text(claim, *given, shares);
  work.devices.push_back({std::move(claim), std::move(text)});
}

}  // namespace muster::daemon
