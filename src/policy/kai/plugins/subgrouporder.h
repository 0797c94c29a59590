#pragma once

#include "policy/kai/plugin.h"

namespace muster::kai {

// Parts of a job that lack something come first, then those that have the least of what they need.
class SubGroupOrder final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kSubGroupOrder); }
  int compare_sub_groups(const Job& job, SubGroupId left, SubGroupId right) override;
};

}  // namespace muster::kai
