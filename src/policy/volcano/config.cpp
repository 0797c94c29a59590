#include "policy/volcano/config.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/assert.h"

namespace muster::volcano {
namespace {

Tier tier_of(std::initializer_list<const char*> plugins) {
  Tier tier;
  for (const char* plugin : plugins) tier.plugins.emplace_back(plugin);
  return tier;
}

bool is_error(const Diagnostic& diagnostic) { return diagnostic.severity == Severity::kError; }

Error refusal(const std::vector<Diagnostic>& diagnostics) {
  Error error;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!is_error(diagnostic)) continue;
    if (error.message.empty()) {
      error.location = diagnostic.location;
    } else {
      error.message += '\n';
    }
    error.message += diagnostic.text();
  }
  return error;
}

}  // namespace

PluginOption::PluginOption(std::string plugin, Arguments given, Location where)
    : name(std::move(plugin)), arguments(std::move(given)), location(std::move(where)) {
  for (const HookSetting& row : hook_settings()) set(row.hook, row.on_by_default);
}

const Arguments& Config::action_arguments(std::string_view action) const {
  static const Arguments kNone;
  const auto first = std::ranges::find(configurations, action, &ActionOption::name);
  return first == configurations.end() ? kNone : first->arguments;
}

bool Config::hierarchy_enabled(std::string_view plugin) const {
  for (const Tier& tier : tiers) {
    const auto first = std::ranges::find(tier.plugins, plugin, &PluginOption::name);
    if (first != tier.plugins.end()) return first->enabled(Hook::kHierarchy);
  }
  return false;
}

ExtensionInstance* Config::extension_action(std::string_view action) const {
  const auto found = std::ranges::find(extension_actions, action, &ExtensionAction::name);
  return found == extension_actions.end() ? nullptr : found->extension.get();
}

bool Config::has_action(std::string_view action) const { return std::ranges::find(actions, action) != actions.end(); }

const Config& default_config() {
  static const Config kDefault = {
      .actions = {"enqueue", "allocate", "backfill"},
      .tiers = {tier_of({"priority", "gang", "conformance"}),
                tier_of({"overcommit", "drf", "predicates", "proportion", "nodeorder"})},
      .configurations = {},
      .metrics = {},
  };
  return kDefault;
}

bool ConfigReading::has_errors() const { return std::ranges::any_of(diagnostics, is_error); }

Result<ConfigReading> read_config(const Value& root, const std::string& file, Strictness strictness,
                                  const ExtensionSet& extensions) {
  ConfigReading reading = inspect_config(root, file, strictness, extensions);
  if (reading.has_errors()) return fail(refusal(reading.diagnostics));
  MUSTER_ASSERT(!reading.config.actions.empty());
  return reading;
}

}  // namespace muster::volcano
