#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/value.h"

namespace muster::volcano {

// What the ConfigMap of device geometries says, or the built-in default when there is none.

// Some equal slices of a card.
struct MigInstance {
  std::string name;  // "1g.10gb"
  std::uint64_t memory = 0;
  std::int64_t count = 0;
};

// One way to slice a card.
struct MigGeometry {
  std::string group;
  std::vector<MigInstance> instances;
};

struct MigModels {
  std::vector<std::string> models;  // parts of the card's type
  std::vector<MigGeometry> geometries;
};

struct VgpuConfig {
  std::string count_name;
  std::string memory_name;
  std::string percentage_name;  // empty: not in use
  std::string core_name;
  std::uint64_t memory_factor = 0;  // memory is asked for in multiples of this
  std::vector<MigModels> mig;
};

struct NpuTemplate {
  std::string name;
  std::int64_t memory = 0;
};

// A kind of Ascend card under HAMi.
struct NpuConfig {
  std::string word;  // "Ascend310P"
  std::string resource_name;
  std::string memory_name;
  std::int64_t memory_allocatable = 0;
  std::int64_t memory_capacity = 0;
  std::vector<NpuTemplate> templates;  // by memory
};

struct DeviceConfig {
  VgpuConfig vgpu;
  bool npu_core = false;  // cards may be shared by cores
  std::vector<NpuConfig> npus;

  static DeviceConfig standard();
};

// Reads device-config.yaml. Nothing when a field has the wrong type: the original then goes on with the default.
std::optional<DeviceConfig> read_device_config(const Value& root);

}  // namespace muster::volcano
