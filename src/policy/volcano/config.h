#pragma once

#include <bitset>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/extension/extension.h"
#include "model/diagnostic.h"
#include "model/value.h"
#include "policy/volcano/arguments.h"
#include "policy/volcano/settings_table.h"

namespace muster::volcano {

// One listing of a plugin in a tier. Its switches are resolved: what the file left unset holds the default of the settings table.
struct PluginOption {
  std::string name;
  Arguments arguments;
  Location location;
  std::shared_ptr<ExtensionInstance> extension = nullptr;  // of a plugin from outside

  // All switches at their defaults.
  explicit PluginOption(std::string plugin = {}, Arguments given = {}, Location where = {});

  bool enabled(Hook hook) const { return switches_.test(static_cast<std::size_t>(hook)); }
  void set(Hook hook, bool on) { switches_.set(static_cast<std::size_t>(hook), on); }

 private:
  std::bitset<kHookCount> switches_;
};

// Plugins in the order in which they are asked. The order of the tiers and of the plugins within a tier both decide.
struct Tier {
  std::vector<PluginOption> plugins;
};

// An entry of `configurations:`, by action name.
struct ActionOption {
  std::string name;
  Arguments arguments;
  Location location;
};

// An action from outside.
struct ExtensionAction {
  std::string name;
  std::shared_ptr<ExtensionInstance> extension;
};

// A configuration that can be scheduled with: every action and every plugin in it is one that muster has.
struct Config {
  std::vector<std::string> actions;  // executed in this order in every cycle
  std::vector<Tier> tiers;           // may list a plugin twice, or none
  std::vector<ActionOption> configurations;
  std::vector<ExtensionAction> extension_actions = {};
  std::map<std::string, std::string> metrics;  // where node usage comes from; empty when the file names no source

  // The arguments of the first entry for this action, or none.
  const Arguments& action_arguments(std::string_view action) const;

  // Whether the first listing of this plugin asks for its hierarchical mode.
  bool hierarchy_enabled(std::string_view plugin) const;

  bool has_action(std::string_view action) const;

  // The instance behind an action from outside; nullptr for what is built in.
  ExtensionInstance* extension_action(std::string_view action) const;
};

// What is in force when the user names no configuration, or an empty one.
const Config& default_config();

// A configuration and everything there is to say about it, in document order.
struct ConfigReading {
  Config config;  // usable only when there are no errors
  std::vector<Diagnostic> diagnostics;

  bool has_errors() const;
};

// Reads a configuration document and collects every problem. `file` is used for locations only. Extensions that the document names
// are started if there is no error.
ConfigReading inspect_config(const Value& root, const std::string& file, Strictness strictness,
                             const ExtensionSet& extensions = {});

// The same for whoever wants a configuration or a refusal: the error lists all errors, one per line, and is located at the first.
// A reading that comes back holds warnings at most.
Result<ConfigReading> read_config(const Value& root, const std::string& file, Strictness strictness,
                                  const ExtensionSet& extensions = {});

}  // namespace muster::volcano
