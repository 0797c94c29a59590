#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sim/registry.h"

namespace muster::sim {

// Keeps the status of disruption budgets as the disruption controller does: how many of a budget's pods are healthy, how many must
// be, and how many may go. The pods that are expected are those that there are. A pod that was evicted is noted by its name and
// counts as gone, but for two minutes only, and not when the name is that of a newer one. Works in run(), which its owner calls
// after every request, and in tick().
class DisruptionBudgets {
 public:
  DisruptionBudgets(Registry& registry, Store& store);

  void run();
  // Looks again where a note has become too old.
  void tick();

 private:
  void observe(const Key& budget);
  // Whether a note is still about this pod. One that is, is looked at again when that ends.
  bool is_on_its_way(const Key& budget, const Tree& note, const Tree& pod);

  Registry& registry_;
  Store& store_;
  std::set<std::string> changed_;        // namespaces with a change that a budget may care for
  std::map<Key, std::int64_t> recheck_;  // when the first note of a budget becomes too old
};

// Takes one of what a budget allows for a pod that is about to go; 429 when there is nothing left, or the budget is too new.
Answered<void> take_from_budgets(Registry& registry, const Object& pod);

}  // namespace muster::sim
