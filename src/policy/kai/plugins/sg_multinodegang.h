#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Looks for room on several nodes at once: the nodes with the least room that together suffice, then twice as many more each time.
class MultiNodeGang final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kScenarioGenerator); }
  std::unique_ptr<ScenarioGenerator> make_generator(const SearchTask& search) override;
};

}  // namespace muster::kai
