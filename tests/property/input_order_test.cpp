// The order in which objects arrive decides nothing, nodes apart: their order breaks ties.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "property/scenario_run.h"

namespace muster {
namespace {

// Nodes stay where they are; the others change places among themselves.
std::vector<Object> shuffled(std::vector<Object> objects) {
  std::vector<std::size_t> movable;
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (!std::holds_alternative<Node>(objects[i])) movable.push_back(i);
  for (std::size_t i = 0; i + 1 < movable.size(); ++i) {
    const auto with = i + static_cast<std::size_t>(pick(static_cast<int>(movable.size() - i)));
    std::swap(objects[movable[i]], objects[movable[with]]);
  }
  return objects;
}

// What was decided, without the texts about it.
std::vector<std::string> decisions(const std::vector<std::string>& outcomes) {
  std::vector<std::string> out;
  for (const auto& outcome : outcomes) {
    auto json = nlohmann::json::parse(outcome);
    for (const char* texts : {"podgroup_conditions", "podgroup_events", "pod_conditions"}) json.erase(texts);
    out.push_back(json.dump());
  }
  return out;
}

struct BothOrders {
  std::vector<std::string> ordered, reordered;
};

BothOrders run_both_orders() {
  auto scenario = random_scenario({.node_kinds = 4, .jobs = 6, .cycles = 2});
  BothOrders both;
  both.ordered = run_scenario(scenario, {});
  RC_LOG() << description(scenario);
  scenario.objects = shuffled(std::move(scenario.objects));
  both.reordered = run_scenario(scenario, {});
  RC_LOG() << "reordered:\n" << description(scenario);
  return both;
}

RC_GTEST_PROP(InputOrder, DecidesNothing, ()) {
  const auto both = run_both_orders();
  RC_ASSERT(decisions(both.ordered) == decisions(both.reordered));
}

RC_GTEST_PROP(InputOrder, ShowsInNoText, ()) {
  const auto both = run_both_orders();
  RC_ASSERT(both.ordered == both.reordered);
}

}  // namespace
}  // namespace muster
