#include "daemon/allocation_text.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/json_writer.h"

namespace muster::daemon {
namespace {

// A request that got devices, and the name that these go by.
struct Satisfied {
  const DeviceRequest* wish = nullptr;  // the request, or the alternative that was chosen
  std::string request;
  std::string name;  // "request" or "request/alternative"
};

bool has_devices(const DeviceAllocation& allocation, const std::string& name) {
  return std::ranges::find(allocation.devices, name, &AllocatedDevice::request) != allocation.devices.end();
}

// In the order of the claim.
std::vector<Satisfied> satisfied_requests(const ResourceClaim& claim, const DeviceAllocation& allocation) {
  std::vector<Satisfied> out;
  for (const auto& request : claim.requests) {
    if (has_devices(allocation, request.name)) out.push_back({&request, request.name, request.name});
    for (const auto& alternative : request.alternatives)
      if (auto name = request.name + "/" + alternative.name; has_devices(allocation, name))
        out.push_back({&alternative, request.name, std::move(name)});
  }
  return out;
}

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

void write_device(JsonWriter& json, const AllocatedDevice& device, const std::vector<Satisfied>& satisfied, ShareNames& shares) {
  json.begin_object().member("request", device.request).member("driver", device.driver);
  json.member("pool", device.pool).member("device", device.device);
  if (device.admin_access) json.member("adminAccess", true);
  if (const auto one = std::ranges::find(satisfied, device.request, &Satisfied::name); one != satisfied.end())
    write_tolerations(json, one->wish->tolerations);
  if (device.shared) {
    json.member("shareID", shares.next()).key("consumedCapacity").begin_object();
    for (const auto& [name, amount] : device.consumed) json.member(name, amount.text());
    json.end_object();
  }
  json.end_object();
}

// ------------------------------------------------------------------------------------------------------ configuration

using Names = std::vector<std::string>;

bool concerns(const DriverConfig& config, const std::vector<Satisfied>& satisfied) {
  const auto names = [&](const std::string& name) { return std::ranges::find(config.requests, name) != config.requests.end(); };
  return config.requests.empty() ||
         std::ranges::any_of(satisfied, [&](const Satisfied& one) { return names(one.request) || names(one.name); });
}

// The classes whose devices were given, in the order of the claim, with the requests that got them.
std::vector<std::pair<const DeviceClass*, Names>> used_classes(const DeviceCatalog& catalog,
                                                               const std::vector<Satisfied>& satisfied) {
  std::vector<std::pair<const DeviceClass*, Names>> used;
  for (const auto& one : satisfied) {
    const auto* device_class = catalog.device_class(one.wish->device_class);
    if (device_class == nullptr) continue;
    const auto known = std::ranges::find(used, device_class, &std::pair<const DeviceClass*, Names>::first);
    if (known != used.end())
      known->second.push_back(one.name);
    else
      used.emplace_back(device_class, Names{one.name});
  }
  return used;
}

// Writes the list when there is a first entry.
class ConfigWriter {
 public:
  explicit ConfigWriter(JsonWriter& json) : json_(json) {}
  void add(std::string_view source, const Names& requests, const DriverConfig& config) {
    if (config.opaque.empty()) return;
    if (!std::exchange(begun_, true)) json_.key("config").begin_array();
    json_.begin_object().member("source", source);
    if (!requests.empty()) {
      json_.key("requests").begin_array();
      for (const auto& request : requests) json_.value(request);
      json_.end_array();
    }
    json_.key("opaque").raw(config.opaque).end_object();
  }
  void end() {
    if (begun_) json_.end_array();
  }

 private:
  JsonWriter& json_;
  bool begun_ = false;
};

// What classes say comes first, so that the claim has the last word. An entry of the claim is handed on with all the names that it
// has, also those of alternatives that were not chosen.
void write_config(JsonWriter& json, const DeviceCatalog& catalog, const ResourceClaim& claim,
                  const std::vector<Satisfied>& satisfied) {
  ConfigWriter writer(json);
  for (const auto& [device_class, requests] : used_classes(catalog, satisfied))
    for (const auto& config : device_class->config) writer.add("FromClass", requests, config);
  for (const auto& config : claim.config)
    if (concerns(config, satisfied)) writer.add("FromClaim", config.requests, config);
  writer.end();
}

}  // namespace

std::string allocation_text(const DeviceCatalog& catalog, const ResourceClaim& claim, const DeviceAllocation& allocation,
                            ShareNames& shares) {
  const auto satisfied = satisfied_requests(claim, allocation);
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("devices").begin_object().key("results").begin_array();
  for (const auto& device : allocation.devices) write_device(json, device, satisfied, shares);
  json.end_array();
  write_config(json, catalog, claim, satisfied);
  json.end_object();
  if (allocation.nodes) write_nodes(json, *allocation.nodes);
  json.end_object();
  return text;
}

}  // namespace muster::daemon
