#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Looks for room node by node: of those that could leave, the jobs that stand on one node of the last one collected.
class NodeLocalGreedy final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kScenarioGenerator); }
  std::unique_ptr<ScenarioGenerator> make_generator(const SearchTask& search) override;
};

}  // namespace muster::kai
