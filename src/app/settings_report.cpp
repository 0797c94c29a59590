#include "app/settings_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "app/printable_text.h"
#include "codec/json_writer.h"
#include "policy/volcano/settings_table.h"

namespace muster {
namespace {

using volcano::ArgumentSetting;
using volcano::ComponentSetting;

// "a duration such as …" without article and example.
std::string type_text(const ArgumentSetting& argument) {
  auto text = std::string(to_string(argument.type));
  text.erase(std::min(text.find(" such as"), text.size()));
  for (const std::string_view article : {"a ", "an "})
    if (text.starts_with(article)) text.erase(0, article.size());
  return text;
}

std::string bounds_text(const ArgumentSetting& argument) {
  std::string text;
  for (const auto& choice : argument.choices)
    if (!choice.empty()) text.append(text.empty() ? "one of " : ", ").append(choice);
  constexpr double kTiny = 1e-6;  // of durations: any that is positive
  if (argument.minimum && *argument.minimum >= kTiny) text += fmt::format("at least {}", *argument.minimum);
  if (argument.maximum) text += fmt::format("{}at most {}", text.empty() ? "" : ", ", *argument.maximum);
  return text;
}

void add_argument(TextTable& table, const ArgumentSetting& argument, const std::string& indent) {
  constexpr std::size_t kWidestDefault = 16;
  const auto bounds = bounds_text(argument);
  auto meaning = std::string(argument.meaning) + (bounds.empty() ? "" : " (" + bounds + ")");
  auto by_default = argument.default_text.empty() ? "-" : std::string(argument.default_text);
  if (by_default.size() > kWidestDefault) meaning += "; default: " + std::exchange(by_default, "see right");
  table.add({indent + std::string(argument.name), type_text(argument), std::move(by_default), std::move(meaning)});
  for (const auto& field : argument.fields) add_argument(table, field, indent + "  ");
  if (argument.element != nullptr) add_argument(table, *argument.element, indent + "  - ");
}

void add_components(TextTable& table, std::string_view title, std::span<const ComponentSetting> components) {
  table.add({TextTable::Cell(std::string(title), Tone::kHeading)});
  for (const auto& component : components) {
    table.add({"  " + std::string(component.name),
               component.implemented ? TextTable::Cell("built in", Tone::kGood) : TextTable::Cell("not yet", Tone::kFaint), "",
               TextTable::Cell(std::string(component.meaning))});
    for (const auto& argument : component.arguments) add_argument(table, argument, "    ");
  }
}

void write_argument(JsonWriter& json, const ArgumentSetting& argument) {
  json.begin_object().member("name", argument.name).member("type", type_text(argument));
  json.member("default", argument.default_text).member("meaning", argument.meaning);
  if (argument.minimum) json.member("minimum", *argument.minimum);
  if (argument.maximum) json.member("maximum", *argument.maximum);
  if (!argument.choices.empty()) {
    json.key("choices").begin_array();
    for (const auto& choice : argument.choices) json.value(choice);
    json.end_array();
  }
  if (!argument.fields.empty()) {
    json.key("fields").begin_array();
    for (const auto& field : argument.fields) write_argument(json, field);
    json.end_array();
  }
  if (argument.element != nullptr) {
    json.key("element");
    write_argument(json, *argument.element);
  }
  json.end_object();
}

void write_components(JsonWriter& json, std::string_view key, std::span<const ComponentSetting> components) {
  json.key(key).begin_array();
  for (const auto& component : components) {
    json.begin_object().member("name", component.name).member("implemented", component.implemented);
    json.member("meaning", component.meaning).key("arguments").begin_array();
    for (const auto& argument : component.arguments) write_argument(json, argument);
    json.end_array().end_object();
  }
  json.end_array();
}

std::string kind_of(const Extension& extension) {
  return extension.is_plugin() && extension.is_action() ? "plugin, action" : extension.is_plugin() ? "plugin" : "action";
}

}  // namespace

void add_extensions(TextTable& table, const ExtensionSet& extensions) {
  if (extensions.empty()) return;
  table.add({TextTable::Cell("From outside", Tone::kHeading)});
  for (const auto& extension : extensions.all())
    table.add({"  " + extension->name, TextTable::Cell(kind_of(*extension), Tone::kGood), "",
               TextTable::Cell(printable(extension->meaning) + " (" + extension->file + ")")});
}

void write_extensions(JsonWriter& json, const ExtensionSet& extensions) {
  json.key("extensions").begin_array();
  for (const auto& extension : extensions.all())
    json.begin_object()
        .member("name", extension->name)
        .member("plugin", extension->is_plugin())
        .member("action", extension->is_action())
        .member("meaning", extension->meaning)
        .member("file", extension->file)
        .end_object();
  json.end_array();
}

std::string settings_text(Paint paint, const ExtensionSet& extensions) {
  TextTable table;
  const auto heading = [](const char* text) { return TextTable::Cell(text, Tone::kFaint); };
  table.add({heading("NAME"), heading("TYPE"), heading("DEFAULT"), heading("MEANING")});
  add_components(table, "Actions", volcano::action_settings());
  add_components(table, "Plugins", volcano::plugin_settings());
  add_components(table, "Other configurations", volcano::other_configurations());
  table.add({TextTable::Cell("Switches of every plugin", Tone::kHeading)});
  for (const auto& hook : volcano::hook_settings())
    table.add({"  " + std::string(hook.key), "boolean", hook.on_by_default ? "true" : "false",
               TextTable::Cell(std::string(hook.meaning))});
  table.add({TextTable::Cell("Metrics", Tone::kHeading)});
  for (const auto& argument : volcano::metrics_settings()) add_argument(table, argument, "  ");
  add_extensions(table, extensions);
  return table.text(paint);
}

std::string settings_json(const ExtensionSet& extensions) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_components(json, "actions", volcano::action_settings());
  write_components(json, "plugins", volcano::plugin_settings());
  write_components(json, "configurations", volcano::other_configurations());
  json.key("switches").begin_array();
  for (const auto& hook : volcano::hook_settings())
    json.begin_object().member("key", hook.key).member("default", hook.on_by_default).member("meaning", hook.meaning).end_object();
  json.end_array().key("metrics").begin_array();
  for (const auto& argument : volcano::metrics_settings()) write_argument(json, argument);
  json.end_array();
  if (!extensions.empty()) write_extensions(json, extensions);
  json.end_object();
  return out;
}

}  // namespace muster
