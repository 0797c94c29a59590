#include "policy/volcano/devices/device_settings.h"

namespace muster::volcano {
namespace {

StringMap labels_of(const Value& rule) {
  StringMap labels;
  const auto* map = rule.as_map();
  if (map == nullptr) return labels;
  for (const auto& [key, value] : *map)
    if (key.as_string() != nullptr && value.as_string() != nullptr) labels.set(*key.as_string(), *value.as_string());
  return labels;
}

void read_arguments(const Arguments& arguments, DeviceSettings& settings) {
  const auto flag = [&](std::string_view name, bool& out) { out = arguments.get_bool("deviceshare." + std::string(name), out); };
  flag("GPUSharingEnable", settings.gpu_share);
  flag("GPUNumberEnable", settings.gpu_number);
  flag("VGPUEnable", settings.vgpu);
  flag("AscendMindClusterVNPUEnable", settings.mindcluster_npu);
  flag("AscendHAMiVNPUEnable", settings.hami_npu);
  settings.node_lock = arguments.get_bool("deviceshare.NodeLockEnable", false);
  settings.policy = arguments.get_string("deviceshare.SchedulePolicy", "");
  settings.config_name = arguments.get_string("deviceshare.KnownGeometriesCMName", settings.config_name);
  settings.config_namespace = arguments.get_string("deviceshare.KnownGeometriesCMNamespace", settings.config_namespace);
  settings.exclusive_rules.clear();
  const auto* rules = arguments.find("deviceshare.GPUExclusiveRules");
  if (rules == nullptr || rules->as_list() == nullptr) return;
  for (const auto& rule : *rules->as_list())
    if (auto labels = labels_of(rule); !labels.empty()) settings.exclusive_rules.push_back(std::move(labels));
}

}  // namespace

DeviceSettings device_settings(const Config& config) {
  DeviceSettings settings;
  for (const auto& tier : config.tiers)
    for (const auto& plugin : tier.plugins)
      if (plugin.name == "deviceshare") read_arguments(plugin.arguments, settings);
  const auto& parameters = config.action_arguments("init-params");
  settings.cluster_info = parameters.get_string("useClusterInfoManager", "true") == "true";
  settings.own_chip_list = parameters.get_string("self-maintain-available-card", "true") == "true";
  return settings;
}

}  // namespace muster::volcano
