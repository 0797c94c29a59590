#pragma once

// Random clusters of the KAI dialect, drawn with RapidCheck's current generator: only to be called inside a property.

#include <functional>
#include <string>
#include <vector>

#include "app/kai_between.h"
#include "model/objects.h"
#include "policy/kai/scheduler.h"

namespace muster {

struct KaiScenario {
  std::vector<Object> objects;  // in the order in which they arrive
  KaiBetween between = KaiBetween::kBoundPodsRun;
  int cycles = 3;
};

// Queues of two levels with quotas and weights; gangs, elastic jobs and fractions of GPUs, some of them running. Every object has a
// name and a time of its own, so that no order of arrival is needed to tell two apart.
KaiScenario random_kai_scenario();

struct KaiRunOptions {
  SearchKind search = SearchKind::kIndex;
  kai::Behaviour behaviour = kai::Behaviour::safe();
  std::function<void(kai::Session&)> opened = {};
  std::function<void(kai::Session&)> acted = {};    // all actions are over
  std::function<void(kai::Session&)> closed = {};   // statuses are still those of the cycle
  std::function<void(kai::Cluster&)> settled = {};  // what was only planned is taken back
};
// Gives the outcome of each cycle as a line of JSON.
std::vector<std::string> run_kai_scenario(const KaiScenario& scenario, const KaiRunOptions& options);

// The scenario in words, for failures: a line per object.
std::string description(const KaiScenario& scenario);

}  // namespace muster
