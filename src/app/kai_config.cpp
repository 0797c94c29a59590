#include "app/kai_config.h"

#include <fmt/format.h>

#include "app/config_report.h"
#include "app/printable_text.h"
#include "codec/input.h"

namespace muster {
namespace {

std::string plugin_text(const kai::PluginOption& option) {
  std::vector<std::string> arguments;
  for (const auto& [key, value] : option.arguments) arguments.push_back(key + " " + value);
  return arguments.empty() ? option.name : option.name + " (" + listed(arguments, arguments.size()) + ")";
}

std::string in_force(const kai::Config& config) {
  TextTable table("  ");
  table.add({"actions", listed(config.actions, config.actions.size())});
  std::vector<std::string> plugins;
  for (const auto& option : config.plugins) plugins.push_back(plugin_text(option));
  table.add({"plugins", plugins.empty() ? "none" : listed(plugins, plugins.size())});
  std::vector<std::string> depths;
  for (const auto& [action, depth] : config.queue_depth) depths.push_back(fmt::format("{} {}", action, depth));
  if (!depths.empty()) table.add({"queue depth", listed(depths, depths.size())});
  if (config.usage) table.add({"usage", "from " + config.usage->client});
  return table.text(Paint::none());
}

void write_config(JsonWriter& json, const kai::Config& config) {
  json.key("actions").begin_array();
  for (const auto& action : config.actions) json.value(action);
  json.end_array().key("plugins").begin_array();
  for (const auto& option : config.plugins) {
    json.begin_object().member("name", option.name).key("arguments").begin_object();
    for (const auto& [key, value] : option.arguments) json.member(key, value);
    json.end_object().end_object();
  }
  json.end_array().key("queueDepthPerAction").begin_object();
  for (const auto& [action, depth] : config.queue_depth) json.member(action, depth);
  json.end_object();
}

}  // namespace

Result<CheckedKaiConfig> check_kai_config(const std::string& path, Strictness strictness, const ExtensionSet& extensions) {
  const auto input = Input::read(path);
  if (!input) return fail(input.error());
  return check_kai_config_text(std::string(input->text()), input->name(), strictness, extensions);
}

// The original takes the default for a file without a single character, and refuses one of comments alone: it names no actions.
CheckedKaiConfig check_kai_config_text(const std::string& text, const std::string& file, Strictness strictness,
                                       const ExtensionSet& extensions) {
  const auto root = read_config_value(text, file);
  if (!root) return CheckedKaiConfig::refused(file, root.error().message, root.error().location);
  if (root->is_null() && text.find_first_not_of(" \t\r\n") == std::string::npos)
    return {file, true, kai::ConfigReading{kai::default_config(), {}}};
  auto reading = kai::inspect_config(*root, file, strictness, extensions);
  if (reading.has_errors()) hint_at_dialect(Dialect::kKai, *root, file, reading.diagnostics);
  return {file, false, std::move(reading)};
}

Result<kai::Config> usable_kai_config(CheckedKaiConfig checked, std::vector<std::string>& notes) {
  if (auto refused = refuse_errors(checked.reading.diagnostics, notes); !refused) return fail(std::move(refused.error()));
  return std::move(checked.reading.config);
}

std::string kai_config_text(const CheckedKaiConfig& checked, Paint paint) {
  auto out = verdict_text({checked.file, checked.is_default, checked.good()}, checked.reading.diagnostics, paint);
  return checked.good() ? out + in_force(checked.reading.config) : out;
}

std::string kai_config_json(const CheckedKaiConfig& checked) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_verdict(json, {checked.file, checked.is_default, checked.good()}, checked.reading.diagnostics);
  if (checked.good()) write_config(json, checked.reading.config);
  json.end_object();
  return out;
}

}  // namespace muster
