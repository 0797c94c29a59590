#include "policy/volcano/plugin_advice.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace muster::volcano {
namespace {

// Weights for which less than nothing has a meaning of its own say so in the settings table, by a minimum.
void advise_on_weights(const PluginOption& plugin, Reporter& reporter) {
  const ComponentSetting* known = find_plugin(plugin.name);
  if (known == nullptr) return;
  for (const auto& [key, value] : plugin.arguments.entries()) {
    const ArgumentSetting* setting = find_argument(known->arguments, key);
    if (setting == nullptr || setting->minimum || !(key == "weight" || key.ends_with(".weight"))) continue;
    if (const auto weight = loose_int(value); weight && *weight < 0)
      reporter.warning(value, fmt::format("argument \"{}\" of plugin \"{}\" is negative: nodes that it should prefer come last",
                                          key, plugin.name));
  }
}

bool is_url(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (text.starts_with(scheme)) return text.size() > scheme.size() && text[scheme.size()] != '/';
  return false;
}

void advise_on_address(const PluginOption& plugin, Reporter& reporter) {
  const auto* prefix = plugin.name == "extender" ? plugin.arguments.find("extender.urlPrefix") : nullptr;
  const auto* text = prefix == nullptr ? nullptr : prefix->as_string();
  if (text != nullptr && !is_url(*text))
    reporter.warning(*prefix, fmt::format("argument \"extender.urlPrefix\" of plugin \"extender\" is no URL such as "
                                          "\"http://127.0.0.1:8713\", so the extender cannot be asked: \"{}\"",
                                          *text));
}

// Plugins with a vote for every job that asks to be let in. Of these, one that comes first never leaves the question open.
constexpr std::array<std::string_view, 4> kDoorkeepers = {"capacity", "proportion", "overcommit", "resourcequota"};

bool keeps_the_door(const PluginOption& plugin) {
  return std::ranges::find(kDoorkeepers, plugin.name) != kDoorkeepers.end() && plugin.enabled(Hook::kJobEnqueued);
}

// The first tier with a vote decides alone whether a job is let in.
void advise_on_doorkeepers(const Config& config, Reporter& reporter) {
  if (!config.has_action("enqueue")) return;
  std::string_view before;  // of an earlier tier
  for (const Tier& tier : config.tiers) {
    std::string_view here;
    for (const PluginOption& plugin : tier.plugins) {
      if (!keeps_the_door(plugin)) continue;
      if (here.empty()) here = plugin.name;
      if (before.empty()) continue;
      reporter.warning(Value({}, plugin.location.line, plugin.location.column),
                       fmt::format("plugin \"{}\" has no say in whom \"enqueue\" lets in: \"{}\", in an earlier tier, votes before "
                                   "it, and the first tier with a vote decides alone; list both in one tier",
                                   plugin.name, before));
    }
    if (before.empty()) before = here;
  }
}

}  // namespace

void advise_on_plugins(const Config& config, Reporter& reporter) { advise_on_doorkeepers(config, reporter); }

void advise_on_no_plugins(const Value& root, Reporter& reporter) {
  reporter.warning(root,
                   "\"tiers\" lists no plugin: nothing keeps gangs together, divides the cluster among queues, or looks at "
                   "selectors and taints; \"gang\", \"proportion\" or \"capacity\", and \"predicates\" would");
}

void advise_on_arguments(const Config& config, Reporter& reporter) {
  for (const Tier& tier : config.tiers)
    for (const PluginOption& plugin : tier.plugins) {
      advise_on_weights(plugin, reporter);
      advise_on_address(plugin, reporter);
    }
  for (const ActionOption& option : config.configurations) {
    const bool is_action = find_action(option.name) != nullptr;
    if (is_action && !config.has_action(option.name))
      reporter.warning(Value({}, option.location.line, option.location.column),
                       fmt::format("arguments for the action \"{}\", which \"actions\" does not list", option.name));
  }
}

}  // namespace muster::volcano
