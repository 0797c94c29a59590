#include "policy/kai/plugin.h"

#include "policy/kai/actions/scenario.h"

namespace muster::kai {

std::unique_ptr<ScenarioGenerator> Plugin::make_generator(const SearchTask&) { return nullptr; }

}  // namespace muster::kai
