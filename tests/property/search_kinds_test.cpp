// The index gives what the reference gives: the same input, scheduled with either, has the same outcome to the byte.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/scenario_run.h"

namespace muster {
namespace {

RC_GTEST_PROP(SearchKinds, IndexAndReferenceDecideAlike, ()) {
  const auto scenario = random_scenario();
  const auto by_index = run_scenario(scenario, {.search = SearchKind::kIndex});
  const auto by_reference = run_scenario(scenario, {.search = SearchKind::kReference});
  RC_LOG() << description(scenario);
  RC_ASSERT(by_index == by_reference);
}

RC_GTEST_PROP(SearchKinds, AlsoWhenSafeAndPodsAreEvicted, ()) {
  const auto scenario = random_scenario({.evictions = Evictions::kAlways});
  const auto safe = volcano::Behaviour::safe();
  const auto by_index = run_scenario(scenario, {.search = SearchKind::kIndex, .behaviour = safe});
  const auto by_reference = run_scenario(scenario, {.search = SearchKind::kReference, .behaviour = safe});
  RC_LOG() << description(scenario);
  RC_ASSERT(by_index == by_reference);
}

// Where gangs have to stay within a domain, the index leaves out trials whose outcome can be told, with what they would have noted.
RC_GTEST_PROP(SearchKinds, AlsoAmongTopologyDomains, ()) {
  auto scenario = random_scenario();
  scenario.config =
      "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins: [{name: priority}, {name: gang}]\n"
      "- plugins: [{name: predicates}, {name: proportion}, {name: network-topology-aware}, {name: binpack}]\n";
  const auto by_index = run_scenario(scenario, {.search = SearchKind::kIndex});
  const auto by_reference = run_scenario(scenario, {.search = SearchKind::kReference});
  RC_LOG() << description(scenario);
  RC_ASSERT(by_index == by_reference);
}

RC_GTEST_PROP(SearchKinds, SoDoRunsOfTheSameKind, ()) {
  const auto scenario = random_scenario();
  RC_ASSERT(run_scenario(scenario, {}) == run_scenario(scenario, {}));
}

}  // namespace
}  // namespace muster
