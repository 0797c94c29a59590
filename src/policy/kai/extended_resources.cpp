#include "policy/kai/extended_resources.h"

#include <algorithm>

namespace muster::kai {
namespace {

constexpr std::string_view kClassPrefix = "deviceclass.resource.kubernetes.io/";

void add_asks(const std::vector<Container>& containers, bool init, std::uint32_t first, std::vector<ExtendedAsk>& asks) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    std::uint32_t ordinal = 0;
    for (const auto& [name, quantity] : containers[i].requests) {
      const auto at = ordinal++;
      if (name.find('/') == std::string::npos || quantity.units() <= 0) continue;
      asks.push_back({name, first + static_cast<std::uint32_t>(i), at, init && !containers[i].restartable, quantity.units()});
    }
  }
}

std::string request_name(const ExtendedAsk& ask) {
  return "container-" + std::to_string(ask.container) + "-request-" + std::to_string(ask.ordinal);
}

DeviceRequest request_for(const ExtendedAsk& ask, const std::string& device_class, std::int64_t count) {
  DeviceRequest request;
  request.name = request_name(ask);
  request.device_class = device_class;
  request.exact = true;
  request.count = count;
  return request;
}

// One resource's requests, as they are built up.
class ResourceWork {
 public:
  ResourceWork(const std::vector<ExtendedAsk>& asks, const std::string& resource, const std::string& device_class)
      : asks_(asks), resource_(resource), class_(device_class) {}

  void run(ExtendedDevices& out) {
    for (const auto& ask : asks_)
      if (ask.resource == resource_ && !ask.short_lived) {
        lasting_.push_back({ask.container, request_for(ask, class_, ask.count)});
        out.mappings.push_back({ask.container, resource_, request_name(ask)});
      }
    for (const auto& ask : asks_)
      if (ask.resource == resource_ && ask.short_lived) add_short(ask);
    for (auto& mapping : short_mappings_) {
      const bool replaced = largest_ && std::find(names_.begin(), names_.end(), mapping.request) != names_.end();
      if (replaced) mapping.request = largest_->name;
      out.mappings.push_back(std::move(mapping));
    }
    if (largest_) out.claim.requests.push_back(*largest_);
    for (const auto& lasting : lasting_) out.claim.requests.push_back(lasting.request);
  }

 private:
  struct Lasting {
    std::uint32_t container;
    DeviceRequest request;
  };

  // What containers that come later hold is free until they start.
  void add_short(const ExtendedAsk& ask) {
    std::int64_t reused = 0;
    for (const auto& lasting : lasting_) {
      if (lasting.container < ask.container) continue;
      reused += lasting.request.count;
      short_mappings_.push_back({ask.container, resource_, lasting.request.name});
      if (reused >= ask.count) return;
    }
    auto request = request_for(ask, class_, ask.count - reused);
    short_mappings_.push_back({ask.container, resource_, request.name});
    names_.push_back(request.name);
    if (!largest_ || largest_->count < request.count) largest_ = std::move(request);
  }

  const std::vector<ExtendedAsk>& asks_;
  const std::string& resource_;
  const std::string& class_;
  std::vector<Lasting> lasting_;
  std::optional<DeviceRequest> largest_;  // of those that end: one after the other, they use the same devices
  std::vector<std::string> names_;        // of their requests
  std::vector<ExtendedDevices::Mapping> short_mappings_;
};

}  // namespace

std::vector<ExtendedAsk> extended_asks(const Pod& pod) {
  std::vector<ExtendedAsk> asks;
  add_asks(pod.spec.init_containers, true, 0, asks);
  add_asks(pod.spec.containers, false, static_cast<std::uint32_t>(pod.spec.init_containers.size()), asks);
  return asks;
}

void ExtendedResources::build(const DeviceCatalog& catalog) {
  classes_.clear();
  std::map<std::string, const DeviceClass*, std::less<>> named;
  for (const auto& [name, device_class] : catalog.classes()) {
    classes_[std::string(kClassPrefix) + name] = name;
    if (device_class.extended_resource.empty()) continue;
    auto& known = named[device_class.extended_resource];
    if (known == nullptr || known->meta.created < device_class.meta.created) known = &device_class;
  }
  for (const auto& [resource, device_class] : named) classes_[resource] = device_class->meta.name;
}

const std::string* ExtendedResources::class_of(std::string_view resource) const {
  const auto found = classes_.find(resource);
  return found == classes_.end() ? nullptr : &found->second;
}

bool ExtendedResources::any(const std::vector<ExtendedAsk>& asks) const {
  return !empty() &&
         std::any_of(asks.begin(), asks.end(), [&](const ExtendedAsk& ask) { return class_of(ask.resource) != nullptr; });
}

ExtendedDevices extended_devices(const std::vector<ExtendedAsk>& asks, const std::vector<std::string>& resources,
                                 const ExtendedResources& classes) {
  ExtendedDevices devices;
  for (const auto& resource : resources)
    if (const auto* device_class = classes.class_of(resource)) ResourceWork(asks, resource, *device_class).run(devices);
  std::sort(devices.claim.requests.begin(), devices.claim.requests.end(),
            [](const DeviceRequest& left, const DeviceRequest& right) { return left.name < right.name; });
  return devices;
}

}  // namespace muster::kai
