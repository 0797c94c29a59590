#pragma once

#include <boost/unordered/unordered_flat_set.hpp>

#include "policy/kai/plugin.h"

namespace muster::kai {

// Preferred pod affinity and anti-affinity, as a sum of weights that is not normalised. A task about which nobody had anything to
// say once is not asked about again in the cycle.
class PodAffinity final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kNodeOrder); }
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  NodeScores node_scores(PodId pod) override;

 private:
  boost::unordered_flat_set<PodId> skipped_;
};

}  // namespace muster::kai
