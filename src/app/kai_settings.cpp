#include "app/kai_settings.h"

#include <utility>

#include "app/settings_report.h"
#include "codec/json_writer.h"
#include "policy/kai/settings_table.h"

namespace muster {
namespace {

using kai::ArgumentSetting;
using kai::ComponentSetting;
using kai::Support;

// "a duration such as …" without article and example.
std::string type_text(const ArgumentSetting& argument) {
  std::string text(kai::name_of(argument.type));
  text.erase(std::min(text.find(" such as"), text.size()));
  if (text.starts_with("a ")) text.erase(0, 2);
  return text;
}

std::string meaning_of(const ArgumentSetting& argument) {
  std::string text(argument.meaning);
  std::string words;
  for (const auto word : argument.choices) words.append(words.empty() ? "" : ", ").append(word);
  if (!words.empty()) text += " (one of " + words + ")";
  if (!argument.remark.empty()) text.append("; no effect: ").append(argument.remark);
  return text;
}

void add_argument(TextTable& table, const ArgumentSetting& argument, const std::string& name) {
  constexpr std::size_t kWidestDefault = 16;
  auto meaning = meaning_of(argument);
  std::string by_default(argument.default_text.empty() ? "-" : argument.default_text);
  if (by_default.size() > kWidestDefault) meaning += "; default: " + std::exchange(by_default, "see right");
  table.add({name, type_text(argument), std::move(by_default), std::move(meaning)});
}

void add_components(TextTable& table, std::string_view title, std::span<const ComponentSetting> components) {
  table.add({TextTable::Cell(std::string(title), Tone::kHeading)});
  for (const auto& component : components) {
    const auto tone = component.support == Support::kNot ? Tone::kFaint : Tone::kGood;
    auto meaning = std::string(component.meaning) + (component.by_default ? "" : " (only if listed)");
    table.add({"  " + std::string(component.name),
               TextTable::Cell(component.support == Support::kNot ? "no effect" : "built in", tone), "",
               TextTable::Cell(std::move(meaning))});
    for (const auto& argument : component.arguments) add_argument(table, argument, "    " + std::string(argument.name));
  }
}

void write_argument(JsonWriter& json, const ArgumentSetting& argument) {
  json.begin_object().member("name", argument.name).member("type", type_text(argument));
  json.member("default", argument.default_text).member("meaning", argument.meaning);
  json.member("support", kai::name_of(argument.support));
  if (!argument.remark.empty()) json.member("remark", argument.remark);
  if (!argument.choices.empty()) {
    json.key("choices").begin_array();
    for (const auto word : argument.choices) json.value(word);
    json.end_array();
  }
  json.end_object();
}

void write_components(JsonWriter& json, std::string_view key, std::span<const ComponentSetting> components) {
  json.key(key).begin_array();
  for (const auto& component : components) {
    json.begin_object().member("name", component.name).member("implemented", component.support != Support::kNot);
    json.member("default", component.by_default).member("meaning", component.meaning);
    if (!component.remark.empty()) json.member("remark", component.remark);
    json.key("arguments").begin_array();
    for (const auto& argument : component.arguments) write_argument(json, argument);
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string kai_settings_text(Paint paint, const ExtensionSet& extensions) {
  TextTable table;
  const auto heading = [](const char* text) { return TextTable::Cell(text, Tone::kFaint); };
  table.add({heading("NAME"), heading("TYPE"), heading("DEFAULT"), heading("MEANING")});
  add_components(table, "Actions", kai::action_settings());
  add_components(table, "Plugins", kai::plugin_settings());
  table.add({TextTable::Cell("Flags", Tone::kHeading)});
  for (const auto& flag : kai::flag_settings())
    if (flag.support != Support::kNot) add_argument(table, flag, "  --" + std::string(flag.name));
  add_extensions(table, extensions);
  return table.text(paint);
}

std::string kai_settings_json(const ExtensionSet& extensions) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_components(json, "actions", kai::action_settings());
  write_components(json, "plugins", kai::plugin_settings());
  json.key("flags").begin_array();
  for (const auto& flag : kai::flag_settings()) write_argument(json, flag);
  json.end_array();
  if (!extensions.empty()) write_extensions(json, extensions);
  json.end_object();
  return out;
}

}  // namespace muster
