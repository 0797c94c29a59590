#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Jobs of higher priority come first.
class Priority final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kJobOrder); }
  int compare_jobs(const Job& left, const Job& right) override;
};

}  // namespace muster::kai
