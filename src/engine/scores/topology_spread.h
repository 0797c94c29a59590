#pragma once

#include <vector>

#include "engine/books.h"
#include "engine/filters/pod_relations.h"
#include "engine/filters/spread_plan.h"
#include "engine/node_scorer.h"

namespace muster {

// Topology spread constraints that are only wished for: prefers domains that hold fewer of the pods that count. Constraints that
// others add by default to the pods of a service are not known here.
class TopologySpreadScorer : public NodeScorer {
 public:
  TopologySpreadScorer(const Books& books, PodRelations& relations);

  Dependence dependence(PodId pod) const override;
  bool add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) override;

 private:
  void find_ignored(const std::vector<SpreadPart>& parts, std::span<const NodeId> nodes);
  void add_part(const SpreadPart& part, std::span<const NodeId> nodes);
  void normalise(std::int64_t weight, std::span<double> totals) const;

  const Topology& topology_;
  SpreadPlan plan_;
  TopologyKeyId hostname_;

  // Of the candidates at hand, by place; used again.
  std::vector<char> ignored_;  // lack a label that some constraint spreads over
  std::size_t ignored_count_ = 0;
  std::vector<double> crowding_;
  std::vector<std::int64_t> sums_;  // by domain, of the part at hand
  std::vector<char> met_;           // likewise
};

}  // namespace muster
