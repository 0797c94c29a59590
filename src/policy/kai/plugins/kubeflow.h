#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// The master or launcher of a training job is placed first.
class Kubeflow final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kTaskOrder); }
  int compare_tasks(PodId left, PodId right) override;
};

}  // namespace muster::kai
