#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Tasks with a priority label come first, the larger number before the smaller; one that is no number last of these.
class TaskOrder final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kTaskOrder); }
  int compare_tasks(PodId left, PodId right) override;
};

}  // namespace muster::kai
