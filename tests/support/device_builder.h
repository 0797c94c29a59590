#pragma once

// Devices, classes and claims for tests:
//
//   catalog.set(a_slice("n1", 2).on("n1"));                    // driver "gpu", pool "n1", devices d0 and d1
//   catalog.set(a_device_class("any").select("device.driver == 'gpu'"));
//   catalog.set(a_device_claim("c").asks(a_request("r", "any").count(2)).same("gpu/model"));

#include <string>
#include <utility>

#include "model/devices.h"

namespace muster {

class DeviceBuilder {
 public:
  explicit DeviceBuilder(std::string name) { device_.name = std::move(name); }
  DeviceBuilder& text(std::string name, std::string value) {
    device_.attributes[std::move(name)] = std::move(value);
    return *this;
  }
  DeviceBuilder& number(std::string name, std::int64_t value) {
    device_.attributes[std::move(name)] = value;
    return *this;
  }
  DeviceBuilder& capacity(const std::string& name, std::string_view quantity) {
    device_.capacity[name].value = *Quantity::parse(quantity);
    return *this;
  }
  DeviceBuilder& policy(const std::string& name, CapacityPolicy policy) {
    device_.capacity[name].policy = std::move(policy);
    return *this;
  }
  DeviceBuilder& taint(std::string key, std::string effect) {
    device_.taints.push_back({std::move(key), "", std::move(effect)});
    return *this;
  }
  DeviceBuilder& consumes(std::string set, std::string counter, std::int64_t amount) {
    device_.consumes.push_back({std::move(set), {{std::move(counter), Quantity::from_units(amount)}}});
    return *this;
  }
  DeviceBuilder& reach(NodeReach reach) {
    device_.reach = std::move(reach);
    return *this;
  }
  DeviceBuilder& shareable() {
    device_.shareable = true;
    return *this;
  }
  DeviceBuilder& prepared_first() {
    device_.has_binding_conditions = true;
    return *this;
  }
  operator Device() const { return device_; }  // NOLINT: reads as a device wherever one is wanted

 private:
  Device device_;
};
inline DeviceBuilder a_device(std::string name) { return DeviceBuilder(std::move(name)); }

class SliceBuilder {
 public:
  SliceBuilder(std::string name, int devices) {
    slice_.meta.name = name;
    slice_.driver = "gpu";
    slice_.pool = std::move(name);
    slice_.generation = 1;
    slice_.slices_in_pool = 1;
    for (int i = 0; i < devices; ++i) device(a_device("d" + std::to_string(i)));
  }
  SliceBuilder& device(Device device) {
    slice_.devices.push_back(std::move(device));
    return *this;
  }
  SliceBuilder& driver(std::string driver) {
    slice_.driver = std::move(driver);
    return *this;
  }
  SliceBuilder& pool(std::string pool, std::int64_t slices = 1, std::int64_t generation = 1) {
    slice_.pool = std::move(pool);
    slice_.slices_in_pool = slices;
    slice_.generation = generation;
    return *this;
  }
  SliceBuilder& on(std::string node) {
    slice_.reach.node = std::move(node);
    return *this;
  }
  SliceBuilder& everywhere() {
    slice_.reach.all = true;
    return *this;
  }
  SliceBuilder& where(std::string label, std::string value) {
    slice_.reach.selector = NodeSelector{{NodeSelectorTerm{{{std::move(label), SelectorOp::kIn, {std::move(value)}}}, {}}}};
    return *this;
  }
  SliceBuilder& per_device() {
    slice_.reach_per_device = true;
    return *this;
  }
  SliceBuilder& counters(std::string set, std::string counter, std::int64_t amount) {
    slice_.shared_counters.push_back({std::move(set), {{std::move(counter), Quantity::from_units(amount)}}});
    return *this;
  }
  operator ResourceSlice() const { return slice_; }  // NOLINT: reads as a slice wherever one is wanted

 private:
  ResourceSlice slice_;
};
inline SliceBuilder a_slice(std::string name, int devices = 0) { return SliceBuilder(std::move(name), devices); }

class DeviceClassBuilder {
 public:
  explicit DeviceClassBuilder(std::string name) { class_.meta.name = std::move(name); }
  DeviceClassBuilder& select(std::string expression) {
    class_.selectors.push_back(std::move(expression));
    return *this;
  }
  // In JSON.
  DeviceClassBuilder& config(std::string opaque) {
    class_.config.push_back({{}, std::move(opaque)});
    return *this;
  }
  operator DeviceClass() const { return class_; }  // NOLINT: reads as a class wherever one is wanted

 private:
  DeviceClass class_;
};
inline DeviceClassBuilder a_device_class(std::string name) { return DeviceClassBuilder(std::move(name)); }

class RequestBuilder {
 public:
  RequestBuilder(std::string name, std::string device_class) {
    request_.name = std::move(name);
    request_.device_class = std::move(device_class);
    request_.exact = true;
  }
  RequestBuilder& count(std::int64_t count) {
    request_.count = count;
    return *this;
  }
  RequestBuilder& all() {
    request_.mode = AllocationMode::kAll;
    request_.mode_text = "All";
    return *this;
  }
  RequestBuilder& admin() {
    request_.admin_access = true;
    return *this;
  }
  RequestBuilder& select(std::string expression) {
    request_.selectors.push_back(std::move(expression));
    return *this;
  }
  RequestBuilder& tolerates(std::string key) {
    request_.tolerations.push_back({std::move(key), "Exists", "", ""});
    return *this;
  }
  RequestBuilder& capacity(const std::string& name, std::string_view quantity) {
    request_.capacity[name] = *Quantity::parse(quantity);
    return *this;
  }
  // Makes it a list of alternatives.
  RequestBuilder& either(DeviceRequest alternative) {
    request_.exact = false;
    request_.has_alternatives = true;
    request_.alternatives.push_back(std::move(alternative));
    return *this;
  }
  operator DeviceRequest() const { return request_; }  // NOLINT: reads as a request wherever one is wanted

 private:
  DeviceRequest request_;
};
inline RequestBuilder a_request(std::string name, std::string device_class = "") {
  return RequestBuilder(std::move(name), std::move(device_class));
}

class DeviceClaimBuilder {
 public:
  explicit DeviceClaimBuilder(std::string name) {
    claim_.meta.ns = "default";
    claim_.meta.uid = "uid-" + name;
    claim_.meta.name = std::move(name);
  }
  DeviceClaimBuilder& asks(DeviceRequest request) {
    claim_.requests.push_back(std::move(request));
    return *this;
  }
  DeviceClaimBuilder& same(std::string attribute, std::vector<std::string> requests = {}) {
    claim_.constraints.push_back({std::move(requests), std::move(attribute), std::nullopt});
    return *this;
  }
  DeviceClaimBuilder& different(std::string attribute) {
    claim_.constraints.push_back({{}, std::nullopt, std::move(attribute)});
    return *this;
  }
  // In JSON, for these requests.
  DeviceClaimBuilder& config(std::string opaque, std::vector<std::string> requests = {}) {
    claim_.config.push_back({std::move(requests), std::move(opaque)});
    return *this;
  }
  // Has a device of the driver "gpu", on a node of the name of its pool.
  DeviceClaimBuilder& has(const std::string& pool, std::string device) {
    if (!claim_.allocation) claim_.allocation.emplace();
    claim_.allocation->devices.push_back({"r", "gpu", pool, std::move(device), false, false, {}});
    claim_.allocation->nodes = NodeSelector{{NodeSelectorTerm{{}, {{"metadata.name", SelectorOp::kIn, {pool}}}}}};
    return *this;
  }
  DeviceClaimBuilder& owned_by(std::string uid) {
    claim_.meta.owners.push_back({"Pod", "p", std::move(uid), true});
    return *this;
  }
  DeviceClaimBuilder& deleted() {
    claim_.meta.deleted.emplace();
    return *this;
  }
  operator ResourceClaim() const { return claim_; }  // NOLINT: reads as a claim wherever one is wanted

 private:
  ResourceClaim claim_;
};
inline DeviceClaimBuilder a_device_claim(std::string name) { return DeviceClaimBuilder(std::move(name)); }

}  // namespace muster
