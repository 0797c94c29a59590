#pragma once

// Devices that drivers offer and pods claim (resource.k8s.io), as plain values: what a scheduler reads of ResourceSlices,
// DeviceClasses and ResourceClaims. Configuration for drivers means nothing to a scheduler and is only handed on.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/meta.h"
#include "model/quantity.h"
#include "model/selector.h"

namespace muster {

// A semantic version as written.
struct VersionText {
  std::string text;
  bool operator==(const VersionText&) const = default;
};

// The value of a device's attribute; monostate for kinds of values that muster does not know.
using DeviceAttribute = std::variant<std::monostate, std::int64_t, bool, std::string, VersionText>;
// By name, with or without a domain ("model", "gpu.example.com/model").
using DeviceAttributes = std::map<std::string, DeviceAttribute, std::less<>>;

// How much of a capacity a claim may ask for, and what it gets when it does not say.
struct CapacityPolicy {
  struct Range {
    Quantity min;
    std::optional<Quantity> max;
    std::optional<Quantity> step;
  };
  std::optional<Quantity> fallback;  // "default"
  std::vector<Quantity> values;
  std::optional<Range> range;
};

struct DeviceCapacity {
  Quantity value;
  std::optional<CapacityPolicy> policy;
};

struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;
};

struct DeviceToleration {
  std::string key;
  std::string op = "Equal";
  std::string value;
  std::string effect;
};

using Counters = std::map<std::string, Quantity, std::less<>>;

struct CounterSet {
  std::string name;
  Counters counters;
};

// Which nodes can reach something. Empty: it does not say.
struct NodeReach {
  std::string node;
  bool all = false;
  std::optional<NodeSelector> selector;
};

struct Device {
  std::string name;
  DeviceAttributes attributes;
  std::map<std::string, DeviceCapacity, std::less<>> capacity;
  std::vector<CounterSet> consumes;
  std::vector<DeviceTaint> taints;
  NodeReach reach;
  bool binds_to_node = false;
  bool has_binding_conditions = false;
  bool shareable = false;  // allowMultipleAllocations
};

struct ResourceSlice {
  ObjectMeta meta;
  std::string driver;
  std::string pool;
  std::int64_t generation = 0;
  std::int64_t slices_in_pool = 0;
  NodeReach reach;
  bool reach_per_device = false;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;
};

// What a driver is told of the devices that it prepares.
struct DriverConfig {
  std::vector<std::string> requests;  // of a claim, "request" or "request/alternative"; empty: all, as always in a class
  std::string opaque;                 // in JSON, as it was written; empty for a kind of configuration that muster does not know
};

struct DeviceClass {
  ObjectMeta meta;
  std::string extended_resource;       // the resource that stands for its devices in a container's requests; empty: none
  std::vector<std::string> selectors;  // CEL expressions; empty for a kind of selector that muster does not know
  std::vector<DriverConfig> config;
};

enum class AllocationMode { kExactCount, kAll, kUnknown };

// What is asked for: devices of a class, or as one of several alternatives.
struct DeviceRequest {
  std::string name;
  std::string device_class;
  std::vector<std::string> selectors;
  AllocationMode mode = AllocationMode::kExactCount;
  std::string mode_text = "ExactCount";
  std::int64_t count = 1;
  bool admin_access = false;
  std::vector<DeviceToleration> tolerations;
  ResourceList capacity;

  bool exact = false;                       // `exactly` is there
  bool has_alternatives = false;            // `firstAvailable` is there
  std::vector<DeviceRequest> alternatives;  // then, the first that can be had
};

struct DeviceConstraint {
  std::vector<std::string> requests;  // empty: all
  std::optional<std::string> match_attribute;
  std::optional<std::string> distinct_attribute;
};

// One device that a claim was given.
struct AllocatedDevice {
  std::string request;  // "request" or "request/alternative"
  std::string driver;
  std::string pool;
  std::string device;
  bool admin_access = false;
  bool shared = false;  // a share of a device that several claims use
  Counters consumed;    // then, what of its capacity

  bool operator==(const AllocatedDevice&) const = default;
};

struct DeviceAllocation {
  std::vector<AllocatedDevice> devices;
  std::optional<NodeSelector> nodes;  // none: everywhere
};

// Who may use a claim.
struct ClaimConsumer {
  std::string group;
  std::string resource;  // plural: "pods"
  std::string name;
  std::string uid;

  bool operator==(const ClaimConsumer&) const = default;
};

struct ResourceClaim {
  ObjectMeta meta;
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<DriverConfig> config;
  std::optional<DeviceAllocation> allocation;
  std::vector<ClaimConsumer> reserved_for;
};

}  // namespace muster
