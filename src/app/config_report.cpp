#include "app/config_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/printable_text.h"

namespace muster {
namespace {

std::string_view severity_name(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

std::string line_of(const Diagnostic& problem, Paint paint) {
  const auto tone = problem.severity == Severity::kError ? Tone::kBad : Tone::kWaiting;
  return paint(std::string(severity_name(problem.severity)) + ":", tone) + " " + printable(problem_text(problem)) + "\n";
}

// The switches that differ from their default: "drf (enableHierarchy on)".
std::vector<std::string> changed_switches(const volcano::PluginOption& option) {
  std::vector<std::string> changed;
  for (const auto& row : volcano::hook_settings())
    if (option.enabled(row.hook) != row.on_by_default)
      changed.push_back(std::string(row.key) + (option.enabled(row.hook) ? " on" : " off"));
  return changed;
}

std::string plugin_text(const volcano::PluginOption& option) {
  auto parts = changed_switches(option);
  for (const auto& entry : option.arguments.entries()) parts.push_back(entry.key);
  return parts.empty() ? option.name : option.name + " (" + listed(parts, parts.size()) + ")";
}

std::string in_force(const volcano::Config& config) {
  TextTable table("  ");
  table.add({"actions", listed(config.actions, config.actions.size())});
  for (std::size_t t = 0; t < config.tiers.size(); ++t) {
    std::vector<std::string> plugins;
    for (const auto& option : config.tiers[t].plugins) plugins.push_back(plugin_text(option));
    table.add({fmt::format("tier {}", t + 1), listed(plugins, plugins.size())});
  }
  for (const auto& option : config.configurations) {
    std::vector<std::string> keys;
    for (const auto& entry : option.arguments.entries()) keys.push_back(entry.key);
    table.add({"arguments of " + option.name, listed(keys, keys.size())});
  }
  return table.text(Paint::none());
}

void write_plugin(JsonWriter& json, const volcano::PluginOption& option) {
  json.begin_object().member("name", option.name).key("switches").begin_object();
  for (const auto& row : volcano::hook_settings())
    if (option.enabled(row.hook) != row.on_by_default) json.member(row.key, option.enabled(row.hook));
  json.end_object().key("arguments").begin_array();
  for (const auto& entry : option.arguments.entries()) json.value(entry.key);
  json.end_array().end_object();
}

void write_config(JsonWriter& json, const volcano::Config& config) {
  json.key("actions").begin_array();
  for (const auto& action : config.actions) json.value(action);
  json.end_array().key("tiers").begin_array();
  for (const auto& tier : config.tiers) {
    json.begin_array();
    for (const auto& option : tier.plugins) write_plugin(json, option);
    json.end_array();
  }
  json.end_array();
}

}  // namespace

std::string verdict_text(const ConfigVerdict& verdict, const std::vector<Diagnostic>& problems, Paint paint) {
  std::string out;
  for (const auto& problem : problems) out += line_of(problem, paint);
  const auto errors = static_cast<std::size_t>(std::ranges::count(problems, Severity::kError, &Diagnostic::severity));
  if (errors != 0) return out + printable(verdict.file) + ": " + count_of(errors, "error") + "\n";
  return out + printable(verdict.file) + ": " + paint("good", Tone::kGood) +
         (verdict.is_default ? ", and empty: the built-in default is in force\n" : "\n");
}

void write_verdict(JsonWriter& json, const ConfigVerdict& verdict, const std::vector<Diagnostic>& problems) {
  json.member("file", verdict.file).member("good", verdict.good).key("problems").begin_array();
  for (const auto& problem : problems) {
    json.begin_object().member("severity", severity_name(problem.severity)).member("message", problem.message);
    json.member("line", problem.location.line).member("column", problem.location.column);
    if (!problem.suggestion.empty()) json.member("suggestion", problem.suggestion);
    json.end_object();
  }
  json.end_array();
}

std::string config_report_text(const CheckedConfig& checked, Paint paint) {
  auto out = verdict_text({checked.file, checked.is_default, checked.good()}, checked.reading.diagnostics, paint);
  return checked.good() ? out + in_force(checked.reading.config) : out;
}

std::string config_report_json(const CheckedConfig& checked) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_verdict(json, {checked.file, checked.is_default, checked.good()}, checked.reading.diagnostics);
  if (checked.good()) write_config(json, checked.reading.config);
  json.end_object();
  return out;
}

}  // namespace muster
