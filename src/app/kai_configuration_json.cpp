#include <algorithm>
#include <span>

#include "app/configuration_json.h"
#include "app/kai_config.h"
#include "policy/kai/settings_table.h"

namespace muster {
namespace {

const kai::ComponentSetting* setting_named(std::span<const kai::ComponentSetting> settings, std::string_view name) {
  const auto found = std::ranges::find(settings, name, &kai::ComponentSetting::name);
  return found == settings.end() ? nullptr : &*found;
}

ConfigurationSection section_of(const kai::PluginOption& option) {
  ConfigurationSection section{.name = option.name, .meaning = {}, .keys = {}};
  const auto* setting = setting_named(kai::plugin_settings(), option.name);
  if (setting == nullptr) return section;
  section.meaning = std::string(setting->meaning);
  for (const auto& argument : setting->arguments)
    section.keys.push_back({.key = std::string(argument.name),
                            .value = option.arguments.get(argument.name, argument.default_text),
                            .usual = std::string(argument.default_text),
                            .is_written = option.arguments.has(argument.name),
                            .meaning = std::string(argument.meaning)});
  for (const auto& [key, value] : option.arguments)
    if (std::ranges::find(setting->arguments, std::string_view(key), &kai::ArgumentSetting::name) == setting->arguments.end())
      section.keys.push_back({.key = key, .value = value, .usual = {}, .is_written = true, .meaning = "not known: has no effect"});
  return section;
}

}  // namespace

std::vector<ConfigurationSection> kai_sections(const std::string& text, const std::string& file) {
  const auto checked = check_kai_config_text(text, file, Strictness::kExact);
  const auto& config = checked.reading.config;
  std::vector<ConfigurationSection> out;
  out.push_back(actions_section(config.actions, kai::default_config().actions, !checked.is_default));
  for (const auto& action : config.actions) {
    const auto* setting = setting_named(kai::action_settings(), action);
    const auto depth = config.queue_depth.find(action);
    out.push_back({.name = action, .meaning = std::string(setting == nullptr ? "" : setting->meaning), .keys = {}});
    out.back().keys.push_back({.key = "queueDepthPerAction." + action,
                               .value = depth == config.queue_depth.end() ? "all" : std::to_string(depth->second),
                               .usual = "all",
                               .is_written = depth != config.queue_depth.end(),
                               .meaning = "how many jobs of each queue it looks at"});
  }
  for (const auto& option : config.plugins) out.push_back(section_of(option));
  if (checked.is_default) mark_unwritten(out);
  return out;
}

}  // namespace muster
