#include "policy/volcano/action_order.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace muster::volcano {
namespace {

constexpr std::array<std::string_view, 4> kEvicting = {"preempt", "reclaim", "gangpreempt", "gangreclaim"};

bool evicts(std::string_view action) { return std::ranges::find(kEvicting, action) != kEvicting.end(); }

// One of Volcano's actions that place nothing. What is mistyped, or comes from elsewhere, may well have been meant to.
bool leaves_pods_alone(std::string_view action) { return evicts(action) || action == "enqueue" || action == "shuffle"; }

bool lists_plugin(const Config& config, std::string_view name) {
  for (const Tier& tier : config.tiers)
    for (const PluginOption& plugin : tier.plugins)
      if (plugin.name == name) return true;
  return false;
}

// Whether shuffle hears of anybody to send away. What comes from outside may name some.
bool names_victims(const Config& config) {
  const auto names = [](const PluginOption& plugin) {
    const bool can = plugin.name == "rescheduling" || plugin.name == "tdm" || find_plugin(plugin.name) == nullptr;
    return can && plugin.enabled(Hook::kVictim);
  };
  return std::ranges::any_of(config.tiers, [&](const Tier& tier) { return std::ranges::any_of(tier.plugins, names); });
}

// Plugins whose answer about victims is a list of those they do not protect, so that their tier nearly always has one.
constexpr std::array<std::string_view, 4> kProtecting = {"gang", "conformance", "pdb", "cdp"};

// Whether a plugin has an answer when an action asks who may go. The switch is for single pods only.
bool answers(const PluginOption& plugin, std::string_view action) {
  if (action == "gangreclaim") return plugin.name != "pdb" && plugin.name != "cdp" && plugin.name != "proportion";
  return plugin.enabled(Hook::kReclaimable);
}

// The first tier with an answer decides alone. Names the plugin that knows of shares and the one that answers before it.
std::optional<std::pair<std::string_view, std::string_view>> unheard_shares(const Config& config, std::string_view action) {
  std::optional<std::string_view> before;  // of an earlier tier
  for (const Tier& tier : config.tiers) {
    std::optional<std::string_view> here;
    for (const PluginOption& plugin : tier.plugins) {
      if (!answers(plugin, action)) continue;
      if (plugin.name == "capacity" || plugin.name == "proportion")
        return before ? std::optional(std::pair<std::string_view, std::string_view>(plugin.name, *before)) : std::nullopt;
      const bool protects = std::ranges::find(kProtecting, plugin.name) != kProtecting.end();
      if (!here && (protects || (action == "gangreclaim" && plugin.name == "priority"))) here = plugin.name;
    }
    if (!before) before = here;
  }
  return std::nullopt;
}

// What of the configuration makes a reclaiming action take from queues that hold no more than their share.
std::optional<std::string> reclaims_too_much(const Config& config, std::string_view action) {
  if (const auto unheard = unheard_shares(config, action))
    return fmt::format(
        "takes from queues whatever their share: \"{}\", in an earlier tier, answers before \"{}\" does, and the first tier "
        "with an answer decides alone; list both in one tier",
        unheard->second, unheard->first);
  if (action == "gangreclaim" && !lists_plugin(config, "capacity"))
    return "takes from queues whatever their share: of all plugins only \"capacity\" tells it what they deserve";
  return std::nullopt;
}

}  // namespace

void advise_on_actions(std::span<const Value> actions, const Config& config, Reporter& reporter) {
  const auto first = [&](std::string_view name) {
    return std::ranges::find_if(actions, [&](const Value& action) { return *action.as_string() == name; });
  };
  const auto enqueue = first("enqueue");
  const auto allocate = first("allocate");
  const auto places_nobody = [](const Value& action) { return leaves_pods_alone(*action.as_string()); };
  if (!actions.empty() && std::ranges::all_of(actions, places_nobody))
    reporter.warning(actions.front(), "no action places pods: \"allocate\" does, and \"backfill\" those that ask for nothing");
  if (!actions.empty() && lists_plugin(config, "capacity") && lists_plugin(config, "proportion"))
    reporter.warning(actions.front(),
                     "the plugins \"capacity\" and \"proportion\" both divide the cluster among the queues, each in its own way: a "
                     "pod waits if either of them says so");
  for (auto at = actions.begin(); at != actions.end(); ++at) {
    const std::string& name = *at->as_string();
    const auto warn = [&](std::string_view text) { reporter.warning(*at, fmt::format("action \"{}\" {}", name, text)); };
    if (evicts(name) && enqueue != actions.end() && at < enqueue)
      warn("stands before \"enqueue\": it evicts for nobody whom that lets in, a cycle too late");
    else if (evicts(name) && allocate != actions.end() && at < allocate)
      warn("stands before \"allocate\": it may evict although there is free room");
    if (name == "allocate" && enqueue != actions.end() && at < enqueue)
      warn("stands before \"enqueue\": jobs that are let in wait for the next cycle");
    if (name == "reclaim" || name == "gangreclaim")
      if (const auto why = reclaims_too_much(config, name)) warn(*why);
    if (name == "shuffle" && !names_victims(config))
      warn("has nobody to send away: no plugin names pods to move, as \"rescheduling\" and \"tdm\" do");
    if (name == "shuffle" && at + 1 != actions.end())
      warn("is not the last: what follows works with pods that it has just sent away");
    if (name == "preempt" && lists_plugin(config, "network-topology-aware") && first("gangpreempt") == actions.end())
      warn(
          "passes over jobs with a network topology, which the plugin \"network-topology-aware\" is for: \"gangpreempt\" serves "
          "them");
  }
}

}  // namespace muster::volcano
