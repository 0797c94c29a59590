#include "policy/kai/search_budgets.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "base/nearest_name.h"
#include "model/name_list.h"
#include "model/time.h"

namespace muster::kai {
namespace {

constexpr std::array<std::string_view, 4> kBudgetKeys = {"maxActionSearchDuration", "maxJobSearchDuration", "minJobSearchDuration",
                                                         "maxGeneratorSearchDuration"};
constexpr std::array<std::string_view, 4> kSearchingActions = {"default", "reclaim", "preempt", "consolidation"};
constexpr std::array<std::string_view, 3> kGenerators = {"default", "NodeLocalGreedy", "MultiNodeGang"};

bool knows(std::span<const std::string_view> known, std::string_view name) { return std::ranges::find(known, name) != known.end(); }

void check_duration(const Value& value, Reporter& reporter) {
  if (value.is_null()) return;
  const auto* text = value.as_string();
  if (text == nullptr || !parse_go_duration(*text)) reporter.error(value, "a search budget must be a duration such as \"30s\"");
}

}  // namespace

void check_search_budgets(const Value& budgets, Reporter& reporter) {
  if (budgets.is_null()) return;
  if (budgets.as_map() == nullptr) return reporter.error(budgets, "\"scenarioSearchBudgets\" must be a map");
  reporter.warning(budgets, "\"scenarioSearchBudgets\" has no effect: muster always looks to the end");
  for (const auto& [key, value] : *budgets.as_map()) {
    const auto name = text_of_scalar(key).value_or("");
    const bool of_generators = name == "maxGeneratorSearchDuration";
    if (!knows(kBudgetKeys, name)) {
      reporter.problem(key, fmt::format("\"scenarioSearchBudgets\" has no key \"{}\"", name), nearest_name(name, kBudgetKeys));
    } else if (!of_generators && name != "maxActionSearchDuration") {
      check_duration(value, reporter);
    } else if (value.as_map() == nullptr) {
      if (!value.is_null()) reporter.error(value, fmt::format("\"{}\" must be a map", name));
    } else {
      for (const auto& [inner, duration] : *value.as_map()) {
        const auto of = text_of_scalar(inner).value_or("");
        if (of_generators && !knows(kGenerators, of))
          reporter.error(inner, fmt::format("unknown generator \"{}\", with which every cycle of KAI fails", of),
                         nearest_name(of, kGenerators));
        if (!of_generators && !knows(kSearchingActions, of))
          reporter.problem(inner, fmt::format("a search budget for \"{}\", which is no action that searches", of),
                           nearest_name(of, kSearchingActions));
        check_duration(duration, reporter);
      }
    }
  }
}

}  // namespace muster::kai
