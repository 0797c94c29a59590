#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>

#include "base/nearest_name.h"
#include "model/name_list.h"
#include "policy/kai/argument_check.h"
#include "policy/kai/config.h"
#include "policy/kai/config_advice.h"
#include "policy/kai/registry.h"
#include "policy/kai/search_budgets.h"
#include "policy/kai/settings_table.h"
#include "policy/kai/usage_reader.h"

namespace muster::kai {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::int64_t kNoLimit = -1;
constexpr std::array<std::string_view, 5> kRootKeys = {"actions", "tiers", "queueDepthPerAction", "usageDBConfig",
                                                       "scenarioSearchBudgets"};
constexpr std::array<std::string_view, 1> kTierKeys = {"plugins"};

std::vector<std::string_view> plugin_keys() {
  std::vector<std::string_view> keys = {"name", "arguments"};
  keys.insert(keys.end(), plugin_switches().begin(), plugin_switches().end());
  return keys;
}

template <class Row>
std::vector<std::string_view> setting_names(std::span<const Row> rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

bool equal_but_for_case(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(left, right, {}, lower, lower);
}

// Walks the document once. A null stands for an absent value everywhere.
class ConfigReader {
 public:
  ConfigReader(const std::string& file, Strictness strictness, const ExtensionSet& extensions)
      : file_(file), reporter_(file, strictness), extensions_(extensions) {}

  ConfigReading read(const Value& root) {
    const auto* actions = &root;
    for (const auto& member : members(root, "the configuration", kRootKeys)) {
      if (member.name == "actions") actions = member.value;
      if (member.name == "tiers") read_tiers(*member.value);
      if (member.name == "queueDepthPerAction") read_depths(*member.value);
      if (member.name == "usageDBConfig") read_usage(*member.value);
      if (member.name == "scenarioSearchBudgets") check_search_budgets(*member.value, reporter_);
    }
    if (actions == &root || actions->is_null())
      reporter_.error(*actions, "the configuration names no actions, with which KAI does not start");
    else
      read_actions(*actions);
    if (!has_tiers_) config_.plugins = default_config().plugins;
    if (!extensions_.empty() && !reporter_.has_errors()) start_extensions(*actions);
    if (!reporter_.has_errors()) advise_on_config(config_, *actions, reporter_);
    return {std::move(config_), reporter_.take()};
  }

 private:
  struct Member {
    std::string_view name;  // as known
    const Value* value;
  };

  // The members of known names, in the order of the document. Case does not matter in the original.
  std::vector<Member> members(const Value& document, const std::string& what, Names known) {
    std::vector<Member> out;
    if (document.is_null()) return out;
    if (document.as_map() == nullptr) return reporter_.error(document, what + " must be a map"), out;
    for (const auto& [key, value] : *document.as_map()) {
      const auto name = text_of_scalar(key).value_or("");
      const auto found = std::ranges::find_if(known, [&](std::string_view one) { return equal_but_for_case(one, name); });
      if (found == known.end()) {
        reporter_.problem(key, fmt::format("{} has no key \"{}\", so it is passed over", what, name), nearest_name(name, known));
        continue;
      }
      if (*found != name) reporter_.warning(key, fmt::format("\"{}\" is taken as \"{}\"", name, *found));
      out.push_back({*found, &value});
    }
    return out;
  }

  void read_actions(const Value& list) {
    const auto names = text_of_scalar(list);
    if (!names) return reporter_.error(list, "\"actions\" must be a text with names and commas");
    for (const auto& part : split_names(list, *names)) read_action(part, *part.as_string());
  }

  void read_action(const Value& at, const std::string& name) {
    if (name.empty()) return reporter_.error(at, "an action has no name: is there a comma too many?");
    if (!is_action(name) && extensions_.find_action(name) == nullptr)
      return reporter_.error(at, fmt::format("unknown action \"{}\", with which KAI does not start", name),
                             nearest(name, action_settings(), &Extension::is_action));
    if (std::ranges::find(config_.actions, name) != config_.actions.end())
      reporter_.warning(at, fmt::format("action \"{}\" is listed again: it runs once per listing", name));
    config_.actions.push_back(name);
  }

  void read_tiers(const Value& tiers) {
    if (tiers.is_null()) return;
    if (tiers.as_list() == nullptr) return reporter_.error(tiers, "\"tiers\" must be a list");
    has_tiers_ = !tiers.as_list()->empty();
    for (const auto& tier : *tiers.as_list())
      for (const auto& member : members(tier, "a tier", kTierKeys)) read_plugins(*member.value);
  }

  void read_plugins(const Value& plugins) {
    if (plugins.is_null()) return;
    if (plugins.as_list() == nullptr) return reporter_.error(plugins, "\"plugins\" must be a list");
    for (const auto& plugin : *plugins.as_list()) read_plugin(plugin);
  }

  void read_plugin(const Value& document) {
    const auto* at = &document;
    const Value* arguments = nullptr;
    std::string name;
    static const auto kKeys = plugin_keys();
    for (const auto& member : members(document, "a plugin", kKeys)) {
      if (member.name == "name") {
        at = member.value;
        const auto text = text_of_scalar(*at);
        if (!text) return reporter_.error(*at, "a plugin's name must be a text");
        name = *text;
      } else if (member.name == "arguments") {
        arguments = member.value;
      } else {
        read_switch(member);
      }
    }
    PluginOption option{name, arguments == nullptr ? Arguments() : read_arguments(*arguments, name)};
    if (!is_plugin(name) && extensions_.find_plugin(name) == nullptr)
      return reporter_.problem(*at,
                               name.empty() ? "a plugin has no name" : fmt::format("unknown plugin \"{}\" is passed over", name),
                               nearest(name, plugin_settings(), &Extension::is_plugin));
    places_.push_back({*at, {}});
    if (arguments != nullptr && arguments->as_map() != nullptr)
      for (const auto& [key, value] : *arguments->as_map())
        places_.back().arguments.emplace_back(text_of_scalar(key).value_or(""), value);
    const auto [first, fresh] = listed_.try_emplace(name, at->line());
    if (!fresh)
      return reporter_.error(*at, fmt::format("plugin \"{}\" is listed twice; the first is in line {}", name, first->second));
    config_.plugins.push_back(std::move(option));
  }

  void read_switch(const Member& member) {
    if (member.value->is_null()) return;
    if (member.value->as_bool() == nullptr)
      reporter_.error(*member.value, fmt::format("\"{}\" must be true or false", member.name));
    else
      reporter_.warning(*member.value,
                        fmt::format("\"{}\" has no effect: KAI reads it and never looks at it; leave the plugin out", member.name));
  }

  Arguments read_arguments(const Value& document, const std::string& plugin) {
    std::map<std::string, std::string, std::less<>> entries;
    if (document.is_null()) return Arguments();
    if (document.as_map() == nullptr) return reporter_.error(document, "\"arguments\" must be a map"), Arguments();
    for (const auto& [key, value] : *document.as_map()) {
      const auto name = text_of_scalar(key);
      const auto text = text_of_scalar(value);
      if (!name || !text)
        reporter_.error(value, "arguments must be texts");
      else
        entries[*name] = *text;
    }
    if (const auto* known = find_plugin(plugin))
      check_arguments(*document.as_map(), known->arguments, fmt::format("plugin \"{}\"", plugin), reporter_);
    return Arguments(std::move(entries));
  }

  void read_depths(const Value& depths) {
    if (depths.is_null()) return;
    if (depths.as_map() == nullptr) return reporter_.error(depths, "\"queueDepthPerAction\" must be a map");
    for (const auto& [key, value] : *depths.as_map()) {
      const auto name = text_of_scalar(key).value_or("");
      if (!is_action(name))
        reporter_.problem(key, fmt::format("a queue depth for \"{}\", which is no action", name),
                          nearest_name(name, setting_names(action_settings())));
      if (value.is_null()) continue;
      const auto* depth = value.as_int();
      if (depth == nullptr)
        reporter_.error(value, "a queue depth must be a whole number");
      else if (*depth < kNoLimit)
        reporter_.error(value, "a queue depth must be -1, which is no limit, or more");
      else if (*depth != kNoLimit)
        config_.queue_depth[name] = *depth;
      if (depth != nullptr && *depth == 0) reporter_.warning(value, fmt::format("\"{}\" looks at no job: its depth is 0", name));
    }
  }

  void read_usage(const Value& usage) {
    if (usage.is_null()) return;
    auto params = read_usage_params(usage, file_);
    if (!params)
      return reporter_.error(Value({}, params.error().location.line, params.error().location.column), params.error().message);
    check_usage_keys(usage, reporter_);
    config_.usage = std::move(*params);
  }

  std::string nearest(const std::string& name, std::span<const ComponentSetting> known, bool (Extension::*kind)() const) const {
    auto names = setting_names(known);
    for (const auto& extension : extensions_.all())
      if (((*extension).*kind)()) names.push_back(extension->name);
    return nearest_name(name, names);
  }

  // The orders of jobs by plugins are remembered with the jobs, which have room for a few.
  static constexpr int kMostRanks = 2;

  void start_extensions(const Value& actions) {
    int ranks = 0;
    for (std::size_t i = 0; i < places_.size() && i < config_.plugins.size(); ++i) {
      auto& option = config_.plugins[i];
      auto extension = extensions_.find_plugin(option.name);
      if (extension == nullptr) continue;
      ranks += extension->plugin.group_rank != nullptr;
      if (ranks > kMostRanks)
        return reporter_.error(places_[i].at, fmt::format("more than {} plugins from outside order jobs", kMostRanks));
      option.extension = start(std::move(extension), places_[i]);
    }
    for (const auto& name : config_.actions)
      if (auto extension = extensions_.find_action(name); extension != nullptr && !config_.extension_actions.contains(name))
        if (auto started = start(std::move(extension), {actions, {}})) config_.extension_actions[name] = std::move(started);
  }

  // Where a plugin is listed, and its arguments as they are written.
  struct Place {
    Value at;
    std::vector<ExtensionInstance::Argument> arguments;
  };

  std::shared_ptr<ExtensionInstance> start(std::shared_ptr<const Extension> extension, const Place& place) {
    auto started = ExtensionInstance::start(std::move(extension), place.arguments);
    if (started) return std::move(*started);
    reporter_.error(place.at, started.error().message);
    return nullptr;
  }

  const std::string& file_;
  Reporter reporter_;
  const ExtensionSet& extensions_;
  std::vector<Place> places_;  // of the plugins
  Config config_;
  std::map<std::string, std::uint64_t> listed_;  // plugins, and in which line
  bool has_tiers_ = false;
};

}  // namespace

bool ConfigReading::has_errors() const {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& one) { return one.severity == Severity::kError; });
}

ConfigReading inspect_config(const Value& root, const std::string& file, Strictness strictness, const ExtensionSet& extensions) {
  return ConfigReader(file, strictness, extensions).read(root);
}

Result<ConfigReading> read_config(const Value& root, const std::string& file, const ExtensionSet& extensions) {
  auto reading = inspect_config(root, file, Strictness::kExact, extensions);
  const auto error = std::ranges::find(reading.diagnostics, Severity::kError, &Diagnostic::severity);
  if (error != reading.diagnostics.end()) return fail(Error(error->message, error->location));
  return reading;
}

}  // namespace muster::kai
