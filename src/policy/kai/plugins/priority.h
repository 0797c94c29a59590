#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Jobs of higher priority come first.
class Priority final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kJobOrder); }
  std::int64_t job_rank(const Job& job) const override;
};

}  // namespace muster::kai
