// The index gives what the reference gives also where pods share devices and CPUs: state that no ledger shows.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/random_devices.h"
#include "property/scenario_run.h"

namespace muster {
namespace {

RC_GTEST_PROP(DeviceSearch, IndexAndReferenceDecideAlike, ()) {
  const auto scenario = random_devices();
  for (const auto behaviour : {volcano::Behaviour::exact(), volcano::Behaviour::safe()}) {
    const auto by_index = run_scenario(scenario, {.search = SearchKind::kIndex, .behaviour = behaviour});
    const auto by_reference = run_scenario(scenario, {.search = SearchKind::kReference, .behaviour = behaviour});
    RC_LOG() << description(scenario);
    RC_ASSERT(by_index == by_reference);
  }
}

}  // namespace
}  // namespace muster
