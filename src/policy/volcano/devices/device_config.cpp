#include "policy/volcano/devices/device_config.h"

#include <algorithm>

namespace muster::volcano {
namespace {

template <class T, class Read>
void read_items(const Value& list, std::vector<T>& out, bool& wrong, Read read) {
  if (list.as_list() == nullptr) {
    wrong = true;
    return;
  }
  for (const auto& item : *list.as_list()) read(item, out.emplace_back(), wrong);
}

// Fields of a map. An absent field keeps what is there; a wrong type is remembered and ends the reading.
class Fields {
 public:
  Fields(const Value& value, bool& wrong) : value_(value), wrong_(wrong) {
    if (!value.is_null() && value.as_map() == nullptr) wrong_ = true;
  }

  void text(std::string_view key, std::string& out) const {
    const auto* field = given(key);
    if (field == nullptr) return;
    if (const auto* text = field->as_string())
      out = *text;
    else if (const auto* number = field->as_int())
      out = std::to_string(*number);
    else
      wrong_ = true;
  }
  void integer(std::string_view key, std::int64_t& out) const {
    const auto* field = given(key);
    if (field == nullptr) return;
    if (const auto* number = field->as_int())
      out = *number;
    else
      wrong_ = true;
  }
  void natural(std::string_view key, std::uint64_t& out) const {
    std::int64_t number = static_cast<std::int64_t>(out);
    integer(key, number);
    if (number < 0) wrong_ = true;
    out = static_cast<std::uint64_t>(number);
  }
  void flag(std::string_view key, bool& out) const {
    const auto* field = given(key);
    if (field == nullptr) return;
    if (const auto* value = field->as_bool())
      out = *value;
    else
      wrong_ = true;
  }
  template <class T, class Read>
  void list(std::string_view key, std::vector<T>& out, Read read) const {
    if (const auto* field = given(key)) read_items(*field, out, wrong_, read);
  }

 private:
  const Value* given(std::string_view key) const {
    const auto* field = value_.as_map() == nullptr ? nullptr : value_.find(key);
    return field == nullptr || field->is_null() ? nullptr : field;
  }
  const Value& value_;
  bool& wrong_;
};

void read_text(const Value& value, std::string& out, bool& wrong) {
  if (value.as_string() == nullptr)
    wrong = true;
  else
    out = *value.as_string();
}

void read_instance(const Value& value, MigInstance& out, bool& wrong) {
  const Fields fields(value, wrong);
  fields.text("name", out.name);
  fields.natural("memory", out.memory);
  fields.integer("count", out.count);
}

void read_geometry(const Value& value, MigGeometry& out, bool& wrong) {
  const Fields fields(value, wrong);
  fields.text("group", out.group);
  fields.list("geometries", out.instances, read_instance);
}

void read_models(const Value& value, MigModels& out, bool& wrong) {
  const Fields fields(value, wrong);
  fields.list("models", out.models, read_text);
  fields.list("allowedGeometries", out.geometries, read_geometry);
}

void read_template(const Value& value, NpuTemplate& out, bool& wrong) {
  const Fields fields(value, wrong);
  fields.text("name", out.name);
  fields.integer("memory", out.memory);
}

void read_npu(const Value& value, NpuConfig& out, bool& wrong) {
  const Fields fields(value, wrong);
  fields.text("commonWord", out.word);
  fields.text("resourceName", out.resource_name);
  fields.text("resourceMemoryName", out.memory_name);
  fields.integer("memoryAllocatable", out.memory_allocatable);
  fields.integer("memoryCapacity", out.memory_capacity);
  fields.list("templates", out.templates, read_template);
  std::stable_sort(out.templates.begin(), out.templates.end(), [](const auto& l, const auto& r) { return l.memory < r.memory; });
}

// Either a list of cards, or a map with that list and a switch.
void read_npus(const Value& value, DeviceConfig& out, bool& wrong) {
  if (value.as_list() != nullptr) return read_items(value, out.npus, wrong, read_npu);
  const Fields fields(value, wrong);
  fields.flag("hamiVnpuCore", out.npu_core);
  fields.list("configs", out.npus, read_npu);
}

void read_vgpu(const Value& value, VgpuConfig& out, bool& wrong) {
  const Fields fields(value, wrong);
  fields.text("resourceCountName", out.count_name);
  fields.text("resourceMemoryName", out.memory_name);
  fields.text("resourceMemoryPercentageName", out.percentage_name);
  fields.text("resourceCoreName", out.core_name);
  fields.natural("gpuMemoryFactor", out.memory_factor);
  fields.list("knownMigGeometries", out.mig, read_models);
}

}  // namespace

DeviceConfig DeviceConfig::standard() {
  DeviceConfig config;
  config.vgpu.count_name = "volcano.sh/vgpu-number";
  config.vgpu.memory_name = "volcano.sh/vgpu-memory";
  config.vgpu.core_name = "volcano.sh/vgpu-cores";
  NpuConfig npu;
  npu.word = "Ascend310P";
  npu.resource_name = "huawei.com/Ascend310P";
  npu.memory_name = "huawei.com/Ascend310P-memory";
  npu.memory_allocatable = 21527;
  npu.memory_capacity = 24576;
  npu.templates = {{"vir01", 3072}, {"vir02", 6144}, {"vir04", 12288}};
  config.npus.push_back(std::move(npu));
  return config;
}

std::optional<DeviceConfig> read_device_config(const Value& root) {
  if (root.as_map() == nullptr) return std::nullopt;
  DeviceConfig config;
  bool wrong = false;
  if (const auto* vgpu = root.find("nvidia")) read_vgpu(*vgpu, config.vgpu, wrong);
  if (const auto* npus = root.find("vnpus"); npus != nullptr && !npus->is_null()) read_npus(*npus, config, wrong);
  return wrong ? std::nullopt : std::optional(std::move(config));
}

}  // namespace muster::volcano
