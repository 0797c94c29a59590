#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/volcano_report.h"
#include "property/random_scenario.h"

namespace muster {

struct RunOptions {
  SearchKind search = SearchKind::kIndex;
  volcano::Behaviour behaviour = volcano::Behaviour::exact();
  std::function<void(volcano::Session&)> opened = {};  // called when a cycle begins
  std::function<void(volcano::Session&)> acted = {};   // called when all actions are over and nothing is taken back yet
};

// Schedules a scenario and gives the outcome of each cycle as a line of JSON. `look`, if any, is called when a cycle has closed.
std::vector<std::string> run_scenario(const Scenario& scenario, const RunOptions& options,
                                      const std::function<void(volcano::Session&)>& look = {});

// The scenario in words, for failures: its configuration and, per object and change, a line.
std::string description(const Scenario& scenario);

}  // namespace muster
