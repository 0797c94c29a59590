#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Among shared GPUs of a node the fullest comes first, a whole one last.
class GpuPack final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kGpuOrder); }
  double gpu_score(PodId pod, NodeId node, const GpuGroup* group) override;
};

}  // namespace muster::kai
