#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_name.h"
#include "model/name_list.h"
#include "policy/volcano/action_order.h"
#include "policy/volcano/argument_check.h"
#include "policy/volcano/config.h"
#include "policy/volcano/plugin_advice.h"

namespace muster::volcano {
namespace {

constexpr std::array<std::string_view, 4> kRootKeys = {"actions", "configurations", "metrics", "tiers"};
constexpr std::array<std::string_view, 1> kTierKeys = {"plugins"};
constexpr std::array<std::string_view, 2> kConfigurationKeys = {"arguments", "name"};

constexpr std::string_view kNotBuilt = "{} \"{}\" is known to Volcano, not yet built into muster";

std::vector<std::string_view> plugin_keys() {
  std::vector<std::string_view> keys = {"arguments", "name"};
  for (const HookSetting& row : hook_settings()) keys.push_back(row.key);
  return keys;
}

std::vector<std::string_view> metrics_keys() {
  std::vector<std::string_view> keys;
  for (const ArgumentSetting& row : metrics_settings()) keys.push_back(row.name);
  return keys;
}

std::vector<std::string_view> component_names(std::span<const ComponentSetting> components) {
  std::vector<std::string_view> names;
  for (const ComponentSetting& component : components) names.push_back(component.name);
  return names;
}

// Walks the document once. A null stands for an absent value everywhere, and a value of the wrong kind is an error under every
// strictness, because the original rejects the whole file for it.
class ConfigReader {
 public:
  ConfigReader(const std::string& file, Strictness strictness, const ExtensionSet& extensions)
      : reporter_(file, strictness), extensions_(extensions) {}

  ConfigReading read(const Value& root);

 private:
  struct Member {
    std::string name;
    const Value* key;
    const Value* value;
  };

  void read_actions(const Value& list);
  void read_action(const Value& at, const std::string& name);
  Tier read_tier(const Value& document);
  PluginOption read_plugin(const Value& document);
  void check_gpu_modes(const Value& listing, const Arguments& arguments);
  void read_hook(const Member& member, PluginOption& option);
  void check_plugin(const Value& at, const std::string& name);
  void read_configuration(const Value& document);
  void read_metrics(const Value& document);
  void start_extensions();
  std::shared_ptr<ExtensionInstance> start(std::shared_ptr<const Extension> extension, const Arguments& arguments,
                                           const Location& at);

  bool knows_plugin(const std::string& name) const;
  std::string nearest(const std::string& name, std::span<const ComponentSetting> known, bool (Extension::*kind)() const) const;

  std::vector<Member> members(const Value& document, const std::string& what);
  std::span<const Value> elements(const Value& document, const std::string& what);
  std::string text(const Value& value, const std::string& what);
  Arguments arguments(const Value& document, const ComponentSetting* component, const std::string& owner);
  void unknown_key(const Member& member, std::string_view where, std::span<const std::string_view> known);
  void wrong_kind(const Value& value, const std::string& what, std::string_view wanted);

  Reporter reporter_;
  const ExtensionSet& extensions_;
  Config config_;
  std::set<std::string> listed_;  // the plugins so far
  std::vector<Value> actions_;    // as listed, with their places
};

ConfigReading ConfigReader::read(const Value& root) {
  const Value* actions = &root;
  bool has_tiers = false;  // or what may have been meant to be some
  for (const Member& member : members(root, "the configuration")) {
    if (member.name == "actions") {
      actions = member.value;
    } else if (member.name == "tiers") {
      for (const Value& tier : elements(*member.value, "\"tiers\"")) config_.tiers.push_back(read_tier(tier)), has_tiers = true;
    } else if (member.name == "configurations") {
      for (const Value& entry : elements(*member.value, "\"configurations\"")) read_configuration(entry);
    } else if (member.name == "metrics") {
      read_metrics(*member.value);
    } else {
      unknown_key(member, "", kRootKeys), has_tiers = true;
    }
  }
  if (actions == &root || actions->is_null()) {
    reporter_.error(*actions, "no actions are given");
  } else {
    read_actions(*actions);
    advise_on_actions(actions_, config_, reporter_);
    if (has_tiers)
      advise_on_plugins(config_, reporter_);
    else if (!reporter_.has_errors())
      advise_on_no_plugins(root, reporter_);
    advise_on_arguments(config_, reporter_);
  }
  if (!extensions_.empty() && !reporter_.has_errors()) start_extensions();
  return {std::move(config_), reporter_.take()};
}

// ---- actions ----

void ConfigReader::read_actions(const Value& list) {
  const auto names = text_of_scalar(list);
  if (!names) return wrong_kind(list, "\"actions\"", "a string of names separated by commas");
  const auto parts = split_names(list, *names);
  for (const Value& part : parts) read_action(part, *part.as_string());
  actions_ = parts;
}

void ConfigReader::read_action(const Value& at, const std::string& name) {
  if (name.empty()) return reporter_.error(at, "an action has no name: is there a comma too many?");
  const ComponentSetting* known = find_action(name);
  if (known == nullptr && extensions_.find_action(name) == nullptr) {
    return reporter_.error(at, fmt::format("unknown action \"{}\"", name), nearest(name, action_settings(), &Extension::is_action));
  }
  if (known != nullptr && !known->implemented) reporter_.error(at, fmt::format(kNotBuilt, "action", name));
  if (config_.has_action(name)) reporter_.warning(at, fmt::format("action \"{}\" is listed again: it runs once per listing", name));
  config_.actions.push_back(name);
}

// ---- tiers ----

Tier ConfigReader::read_tier(const Value& document) {
  Tier tier;
  const Value* hierarchical_drf = nullptr;
  bool proportion = false;
  for (const Member& member : members(document, "a tier")) {
    if (member.name != "plugins") {
      unknown_key(member, " of a tier", kTierKeys);
      continue;
    }
    for (const Value& listing : elements(*member.value, "\"plugins\"")) {
      PluginOption option = read_plugin(listing);
      if (option.name == "drf" && option.enabled(Hook::kHierarchy)) hierarchical_drf = &listing;
      if (option.name == "proportion") proportion = true;
      if (option.name == "deviceshare") check_gpu_modes(listing, option.arguments);
      if (knows_plugin(option.name)) tier.plugins.push_back(std::move(option));
    }
  }
  if (hierarchical_drf != nullptr && proportion) {
    reporter_.error(*hierarchical_drf, "drf with enableHierarchy and proportion exclude each other within a tier");
  }
  return tier;
}

// The original ends itself over these.
void ConfigReader::check_gpu_modes(const Value& listing, const Arguments& arguments) {
  int modes = 0;
  for (const auto* name : {"deviceshare.GPUSharingEnable", "deviceshare.GPUNumberEnable", "deviceshare.VGPUEnable"})
    modes += arguments.get_bool(name, false);
  if (modes > 1)
    reporter_.error(listing, "deviceshare can share GPUs by memory, by number or as virtual GPUs, but only in one way");
}

PluginOption ConfigReader::read_plugin(const Value& document) {
  PluginOption option;
  const Value* name = &document;
  const Value* given = nullptr;
  for (const Member& member : members(document, "a plugin")) {
    if (member.name == "name") {
      name = member.value;
      option.name = text(*name, "the name of a plugin");
    } else if (member.name == "arguments") {
      given = member.value;
    } else {
      read_hook(member, option);
    }
  }
  option.location = reporter_.location(*name);
  check_plugin(*name, option.name);
  if (given != nullptr) option.arguments = arguments(*given, find_plugin(option.name), fmt::format("plugin \"{}\"", option.name));
  return option;
}

void ConfigReader::read_hook(const Member& member, PluginOption& option) {
  const HookSetting* row = find_hook(member.name);
  if (row == nullptr) return unknown_key(member, " of a plugin", plugin_keys());
  if (const bool* on = member.value->as_bool()) return option.set(row->hook, *on);
  if (!member.value->is_null()) wrong_kind(*member.value, fmt::format("\"{}\"", member.name), "true or false");
}

void ConfigReader::check_plugin(const Value& at, const std::string& name) {
  if (name.empty()) return reporter_.problem(at, "a plugin has no name");
  const ComponentSetting* known = find_plugin(name);
  if (!knows_plugin(name)) {
    return reporter_.problem(at, fmt::format("unknown plugin \"{}\"", name),
                             nearest(name, plugin_settings(), &Extension::is_plugin));
  }
  if (known != nullptr && !known->implemented) reporter_.error(at, fmt::format(kNotBuilt, "plugin", name));
  if (!listed_.insert(name).second) {
    reporter_.warning(at, fmt::format("plugin \"{}\" is listed again: it is asked once per listing, and set up by the last", name));
  }
}

// ---- configurations and metrics ----

void ConfigReader::read_configuration(const Value& document) {
  ActionOption option;
  const Value* name = &document;
  const Value* given = nullptr;
  for (const Member& member : members(document, "an entry of \"configurations\"")) {
    if (member.name == "name") {
      name = member.value;
      option.name = text(*name, "the name of an action");
    } else if (member.name == "arguments") {
      given = member.value;
    } else {
      unknown_key(member, " of an entry of \"configurations\"", kConfigurationKeys);
    }
  }
  option.location = reporter_.location(*name);
  const ComponentSetting* known = find_configuration(option.name);
  if (known == nullptr && extensions_.find_action(option.name) == nullptr) {
    reporter_.problem(*name, fmt::format("arguments for the unknown action \"{}\"", option.name),
                      nearest(option.name, action_settings(), &Extension::is_action));
  }
  if (given != nullptr) option.arguments = arguments(*given, known, fmt::format("action \"{}\"", option.name));
  config_.configurations.push_back(std::move(option));
}

void ConfigReader::read_metrics(const Value& document) {
  for (const Member& member : members(document, "\"metrics\"")) {
    const std::string content = text(*member.value, fmt::format("metrics \"{}\"", member.name));
    config_.metrics[member.name] = content;
    const ArgumentSetting* row = find_argument(metrics_settings(), member.name);
    if (row == nullptr) {
      unknown_key(member, " of \"metrics\"", metrics_keys());
    } else if (!content.empty()) {
      check_argument(Value(content, member.value->line(), member.value->column()), *row, member.name, "\"metrics\"", reporter_);
    }
  }
}

// ---- plugins and actions from outside ----

bool ConfigReader::knows_plugin(const std::string& name) const {
  return find_plugin(name) != nullptr || extensions_.find_plugin(name) != nullptr;
}

std::string ConfigReader::nearest(const std::string& name, std::span<const ComponentSetting> known,
                                  bool (Extension::*kind)() const) const {
  auto names = component_names(known);
  for (const auto& extension : extensions_.all())
    if (((*extension).*kind)()) names.push_back(extension->name);
  return nearest_name(name, names);
}

void ConfigReader::start_extensions() {
  for (Tier& tier : config_.tiers)
    for (PluginOption& option : tier.plugins)
      if (auto extension = extensions_.find_plugin(option.name))
        option.extension = start(std::move(extension), option.arguments, option.location);
  for (const Value& action : actions_) {
    const std::string& name = *action.as_string();
    auto extension = extensions_.find_action(name);
    if (extension == nullptr || config_.extension_action(name) != nullptr) continue;
    if (auto started = start(std::move(extension), config_.action_arguments(name), reporter_.location(action)))
      config_.extension_actions.push_back({name, std::move(started)});
  }
}

std::shared_ptr<ExtensionInstance> ConfigReader::start(std::shared_ptr<const Extension> extension, const Arguments& arguments,
                                                       const Location& at) {
  std::vector<ExtensionInstance::Argument> given;
  for (const auto& [key, value] : arguments.entries()) given.emplace_back(key, value);
  auto started = ExtensionInstance::start(std::move(extension), given);
  if (started) return std::move(*started);
  reporter_.error(Value({}, at.line, at.column), started.error().message);
  return nullptr;
}

// ---- what all parts share ----

std::vector<ConfigReader::Member> ConfigReader::members(const Value& document, const std::string& what) {
  std::vector<Member> result;
  if (document.is_null()) return result;
  const Value::Map* map = document.as_map();
  if (map == nullptr) {
    wrong_kind(document, what, "a map");
    return result;
  }
  for (const auto& [key, value] : *map) {
    if (auto name = text_of_scalar(key)) {
      result.push_back({std::move(*name), &key, &value});
    } else {
      wrong_kind(key, "a key of " + what, "a string");
    }
  }
  return result;
}

std::span<const Value> ConfigReader::elements(const Value& document, const std::string& what) {
  if (document.is_null()) return {};
  const Value::List* list = document.as_list();
  if (list != nullptr) return *list;
  wrong_kind(document, what, "a list");
  return {};
}

std::string ConfigReader::text(const Value& value, const std::string& what) {
  auto result = text_of_scalar(value);
  if (!result) wrong_kind(value, what, "a string");
  return std::move(result).value_or("");
}

Arguments ConfigReader::arguments(const Value& document, const ComponentSetting* component, const std::string& owner) {
  std::vector<Arguments::Entry> entries;
  for (Member& member : members(document, "the arguments of " + owner)) {
    entries.push_back({std::move(member.name), *member.value});
  }
  if (component != nullptr && document.as_map() != nullptr) {
    check_arguments(*document.as_map(), component->arguments, owner, reporter_);
  }
  return Arguments(std::move(entries));
}

void ConfigReader::unknown_key(const Member& member, std::string_view where, std::span<const std::string_view> known) {
  reporter_.problem(*member.key, fmt::format("unknown key \"{}\"{}", member.name, where), nearest_name(member.name, known));
}

void ConfigReader::wrong_kind(const Value& value, const std::string& what, std::string_view wanted) {
  reporter_.error(value, fmt::format("{} must be {}, not {}", what, wanted, value.type_name()));
}

}  // namespace

ConfigReading inspect_config(const Value& root, const std::string& file, Strictness strictness, const ExtensionSet& extensions) {
  return ConfigReader(file, strictness, extensions).read(root);
}

}  // namespace muster::volcano
