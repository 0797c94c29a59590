#include "policy/kai/config_advice.h"

#include <algorithm>
#include <fmt/format.h>

namespace muster::kai {
namespace {

constexpr std::string_view kMakingRoom[] = {"consolidation", "reclaim", "preempt"};

bool runs(const Config& config, std::string_view action) {
  return std::ranges::find(config.actions, action) != config.actions.end();
}

}  // namespace

void advise_on_config(const Config& config, const Value& actions, Reporter& reporter) {
  const bool makes_room = std::ranges::any_of(kMakingRoom, [&](std::string_view action) { return runs(config, action); });
  if (!runs(config, "allocate") && !makes_room) reporter.warning(actions, "none of these actions places a pod");
  if (!runs(config, "allocate") && makes_room)
    reporter.warning(actions, "without \"allocate\" nobody takes the room that is made: pods are evicted and none is bound");
  const auto allocate = std::ranges::find(config.actions, "allocate");
  for (const auto action : kMakingRoom)
    if (allocate != config.actions.end() && std::find(config.actions.begin(), allocate, action) != allocate)
      reporter.warning(actions,
                       fmt::format("\"{}\" stands before \"allocate\": it evicts for jobs that free room would hold", action));
  if (!config.has_plugin("sg-nodelocalgreedy") && !config.has_plugin("sg-multinodegang"))
    for (const auto action : kMakingRoom)
      if (runs(config, action))
        reporter.warning(actions,
                         fmt::format("\"{}\" does nothing without \"sg-nodelocalgreedy\" or \"sg-multinodegang\"", action));
  if (runs(config, "reclaim") && !config.has_plugin("proportion"))
    reporter.warning(actions, "\"reclaim\" does nothing without \"proportion\", which says who has more than their share");
  for (const auto& [action, depth] : config.queue_depth)
    if (!runs(config, action))
      reporter.warning(actions, fmt::format("the queue depth of \"{}\" has no effect: it is not among the actions", action));
}

}  // namespace muster::kai
