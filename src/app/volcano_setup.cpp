#include "app/volcano_setup.h"

#include "codec/yaml_value.h"
#include "policy/volcano/devices/device_config.h"

namespace muster {
namespace {

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::size_t from = 0;
  while (from <= text.size()) {
    const auto comma = std::min(text.find(',', from), text.size());
    if (comma > from) items.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return items;
}

}  // namespace

Result<volcano::ConfigReading> read_volcano_config(const std::string& text, const std::string& file, Strictness strictness,
                                                   const ExtensionSet& extensions) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return volcano::ConfigReading{volcano::default_config(), {}};
  const auto root = read_yaml_value(text, file);
  if (!root) return fail(root.error());
  return volcano::read_config(*root, file, strictness, extensions);
}

Result<volcano::ClusterOptions> volcano_options(const std::map<std::string, std::string>& flags) {
  volcano::ClusterOptions options;
  for (const auto& [name, value] : flags) {
    if (name == "scheduler-name")
      options.scheduler_names = split_list(value);
    else if (name == "default-queue")
      options.default_queue = value;
    else if (name == "node-selector")
      options.node_selector = split_list(value);
    else if (name == "ignored-provisioners")
      options.ignored_provisioners = split_list(value);
    else if (name == "priority-class")
      options.priority_classes = value != "false";
    else if (name == "scheduler-sharding-mode")
      options.shard_mode = value;
    else if (name == "scheduler-sharding-name")
      options.shard_name = value;
  }
  return options;
}

Result<void> take_device_config(const ConfigMap& map, volcano::Cluster& cluster) {
  constexpr std::string_view kFile = "device-config.yaml";
  const auto& settings = cluster.options().devices;
  if (!settings.any() || map.meta.name != settings.config_name || map.meta.ns != settings.config_namespace) return {};
  const auto* text = map.data.find(kFile);
  if (text == nullptr) return fail("has no " + std::string(kFile));
  const auto root = read_yaml_value(*text, std::string(kFile));
  if (!root) return fail(root.error());
  auto config = volcano::read_device_config(*root);
  if (!config) return fail("is no description of devices");
  cluster.set_device_config(std::move(*config));
  return {};
}

}  // namespace muster
