#pragma once

#include <set>
#include <string>

#include "sim/registry.h"

namespace muster::sim {

// Keeps the status of disruption budgets as the disruption controller does: how many of a budget's pods are healthy, how many must
// be, and how many may go. The pods that are expected are those that there are. Works in run(), which its owner calls after every
// request.
class DisruptionBudgets {
 public:
  DisruptionBudgets(Registry& registry, Store& store);

  void run();

 private:
  void observe(const std::string& ns, const Key& budget);

  Registry& registry_;
  Store& store_;
  std::set<std::string> changed_;  // namespaces with a change that a budget may care for
};

// Takes one of what a budget allows for a pod that is about to go; 429 when there is nothing left, or the budget is too new.
Answered<void> take_from_budgets(Registry& registry, const Object& pod);

}  // namespace muster::sim
