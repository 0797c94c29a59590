#include "policy/volcano/action_order.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

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
  for (auto at = actions.begin(); at != actions.end(); ++at) {
    const std::string& name = *at->as_string();
    const auto warn = [&](std::string_view text) { reporter.warning(*at, fmt::format("action \"{}\" {}", name, text)); };
    if (evicts(name) && enqueue != actions.end() && at < enqueue)
      warn("stands before \"enqueue\": it evicts for nobody whom that lets in, a cycle too late");
    else if (evicts(name) && allocate != actions.end() && at < allocate)
      warn("stands before \"allocate\": it may evict although there is free room");
    if (name == "allocate" && enqueue != actions.end() && at < enqueue)
      warn("stands before \"enqueue\": jobs that are let in wait for the next cycle");
    if (name == "shuffle" && at + 1 != actions.end())
      warn("is not the last: what follows works with pods that it has just sent away");
    if (name == "preempt" && lists_plugin(config, "network-topology-aware") && first("gangpreempt") == actions.end())
      warn(
          "passes over jobs with a network topology, which the plugin \"network-topology-aware\" is for: \"gangpreempt\" serves "
          "them");
  }
}

}  // namespace muster::volcano
