#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// The head of a Ray cluster is placed first.
class Ray final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kTaskOrder); }
  int compare_tasks(PodId left, PodId right) override;
};

}  // namespace muster::kai
