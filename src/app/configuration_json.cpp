#include "app/configuration_json.h"

#include "app/config_file.h"
#include "app/printable_text.h"
#include "codec/json_writer.h"
#include "model/name_list.h"
#include "policy/volcano/settings_table.h"

namespace muster {
namespace {

// As JSON where it is no scalar.
void write_plain(JsonWriter& json, const Value& value) {
  if (const auto* list = value.as_list()) {
    json.begin_array();
    for (const auto& item : *list) write_plain(json, item);
    json.end_array();
  } else if (const auto* map = value.as_map()) {
    json.begin_object();
    for (const auto& [key, item] : *map) {
      json.key(text_of_scalar(key).value_or(""));
      write_plain(json, item);
    }
    json.end_object();
  } else {
    json.value(text_of_scalar(value).value_or(""));
  }
}

std::string plain_text(const Value& value) {
  if (auto scalar = text_of_scalar(value)) return std::move(*scalar);
  std::string out;
  JsonWriter json(out);
  write_plain(json, value);
  return out;
}

// What is written, in its order, then what might be.
void add_arguments(const volcano::Arguments& arguments, const volcano::ComponentSetting& setting, ConfigurationSection& section) {
  for (const auto& [key, value] : arguments.entries()) {
    const auto* argument = volcano::find_argument(setting.arguments, key);
    section.keys.push_back({.key = key,
                            .value = plain_text(value),
                            .usual = std::string(argument == nullptr ? "" : argument->default_text),
                            .is_written = true,
                            .meaning = std::string(argument == nullptr ? "not known: has no effect" : argument->meaning)});
  }
  for (const auto& argument : setting.arguments)
    if (!argument.prefix() && !arguments.has(argument.name))
      section.keys.push_back({.key = std::string(argument.name),
                              .value = std::string(argument.default_text),
                              .usual = std::string(argument.default_text),
                              .meaning = std::string(argument.meaning)});
}

void write_section(JsonWriter& json, const ConfigurationSection& section, std::string_view where_written) {
  json.begin_object().member("name", section.name).member("meaning", section.meaning).key("keys").begin_array();
  for (const auto& key : section.keys) {
    json.begin_object().member("key", key.key).member("value", key.value);
    if (!key.usual.empty()) json.member("default", key.usual);
    json.member("from", key.is_written ? where_written : "default").member("meaning", key.meaning).end_object();
  }
  json.end_array().end_object();
}

ConfigurationSection section_of(const volcano::PluginOption& option, std::size_t tier) {
  const auto* setting = volcano::find_plugin(option.name);
  ConfigurationSection section{.name = option.name, .meaning = "Tier " + std::to_string(tier) + ".", .keys = {}};
  if (setting == nullptr) return section;
  section.meaning = std::string(setting->meaning) + "; in tier " + std::to_string(tier);
  add_arguments(option.arguments, *setting, section);
  for (const auto& row : volcano::hook_settings())
    if (option.enabled(row.hook) != row.on_by_default)
      section.keys.push_back({.key = std::string(row.key),
                              .value = option.enabled(row.hook) ? "true" : "false",
                              .usual = row.on_by_default ? "true" : "false",
                              .is_written = true,
                              .meaning = std::string(row.meaning)});
  return section;
}

}  // namespace

std::vector<ConfigurationSection> volcano_sections(const std::string& text, const std::string& file) {
  const auto checked = check_config_text(text, file, Strictness::kExact);
  const auto& config = checked.reading.config;
  std::vector<ConfigurationSection> out;
  out.push_back(actions_section(config.actions, volcano::default_config().actions, !checked.is_default));
  for (const auto& action : config.actions) {
    const auto* setting = volcano::find_action(action);
    if (setting == nullptr) continue;
    out.push_back({.name = action, .meaning = std::string(setting->meaning), .keys = {}});
    add_arguments(config.action_arguments(action), *setting, out.back());
  }
  for (std::size_t tier = 0; tier < config.tiers.size(); ++tier)
    for (const auto& option : config.tiers[tier].plugins) out.push_back(section_of(option, tier + 1));
  if (checked.is_default) mark_unwritten(out);
  return out;
}

ConfigurationSection actions_section(const std::vector<std::string>& actions, const std::vector<std::string>& usual,
                                     bool is_written) {
  return {.name = "actions",
          .meaning = "What every cycle does, in this order",
          .keys = {{.key = "actions",
                    .value = listed(actions, actions.size()),
                    .usual = listed(usual, usual.size()),
                    .is_written = is_written,
                    .meaning = "the actions of a cycle"}}};
}

void mark_unwritten(std::vector<ConfigurationSection>& sections) {
  for (auto& section : sections)
    for (auto& key : section.keys) key.is_written = false;
}

std::string configuration_json(Dialect dialect, const std::string& text, const std::string& file,
                               const std::vector<ConfigurationKey>& flags) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("source", file.empty() ? "built in" : file).member("text", text).key("sections").begin_array();
  for (const auto& section : dialect == Dialect::kKai ? kai_sections(text, file) : volcano_sections(text, file))
    write_section(json, section, "file");
  if (!flags.empty())
    write_section(json, {.name = "flags", .meaning = "Of the command line: they hold as long as the process runs", .keys = flags},
                  "flag");
  json.end_array().end_object();
  return out;
}

}  // namespace muster
