#include "policy/kai/plugin.h"

#include "policy/kai/actions/scenario.h"
#include "policy/kai/session.h"

namespace muster::kai {

std::unique_ptr<ScenarioGenerator> Plugin::make_generator(const SearchTask&) { return nullptr; }

void Plugin::tell_predicate(PodId, NodeId, FitStatus status, FitTally& out) {
  out.add(session_.fit_errors().told(status.reason, session_.cluster().fits()));
}

}  // namespace muster::kai
