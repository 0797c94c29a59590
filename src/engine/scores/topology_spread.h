#pragma once

#include <cstdint>
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
  // Candidates that have the labels of all constraints; the others score nothing.
  struct Candidate {
    NodeId node;
    std::uint32_t place = 0;  // among all candidates
    double crowding = 0;
  };
  void collect(const std::vector<SpreadPart>& parts, std::span<const NodeId> nodes);
  void add_hosts(const SpreadPart& part);
  void add_domains(const SpreadPart& part);
  void normalise(std::int64_t weight, std::span<double> totals);

  const Topology& topology_;
  SpreadPlan plan_;
  TopologyKeyId hostname_;

  // Of the question at hand, used again for the next.
  std::vector<Candidate> candidates_;
  std::vector<std::int64_t> sums_;  // by domain
  std::vector<double> shares_;      // likewise
};

}  // namespace muster
