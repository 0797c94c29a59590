#pragma once

#include <vector>

#include "base/bitset.h"
#include "engine/books.h"
#include "engine/filters/pod_relations.h"
#include "engine/filters/spread_plan.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Topology spread constraints that must hold: no domain may be ahead of the emptiest one by more than the allowed skew.
// prepare() works out the answer for all nodes; later changes of the books do not alter it.
class TopologySpreadFilter : public NodeFilter {
 public:
  TopologySpreadFilter(const Books& books, FitTable& fits, PodRelations& relations);

  Dependence dependence(PodId pod) const override;
  Prepared prepare(PodId pod) override;
  FitStatus check(PodId pod, NodeId node) const override;
  void restrict(PodId pod, Bitset& nodes) const override;

 private:
  void apply(const SpreadPart& part);
  void mark_crowded(const SpreadPart& part);
  void mark_crowded_nodes(const SpreadPart& part);

  const Books& books_;
  const Topology& topology_;
  SpreadPlan plan_;
  FitStatus missing_label_, too_skewed_;

  // For the pod that was prepared last: what each node fails first, in the order of the constraints.
  PodId prepared_;
  Bitset unlabelled_;
  Bitset skewed_;
  Bitset lacking_, crowded_;        // by the part at hand, used again for the next
  std::vector<std::int64_t> sums_;  // likewise, by domain
};

}  // namespace muster
