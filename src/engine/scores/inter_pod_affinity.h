#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "engine/books.h"
#include "engine/filters/pod_relations.h"
#include "engine/node_scorer.h"

namespace muster {

// Preferred pod affinity and anti-affinity, the pod's own and that of pods that are there already. A pod with preferred terms
// sees the terms of all present pods; one without sees those on the nodes that PodRelations::begin_cycle() listed.
class InterPodAffinityScorer : public NodeScorer {
 public:
  InterPodAffinityScorer(const Books& books, PodRelations& relations) : books_(books), relations_(relations) {}

  Dependence dependence(PodId pod) const override;
  bool add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) override;
  // The same without normalising: the sum of the weights of the terms that hold, which may be negative.
  void add_points(PodId pod, std::span<const NodeId> nodes, double weight, std::span<double> totals);

 private:
  struct OwnTerm {
    MatcherId matcher;
    TopologyKeyId key;
    std::int32_t weight = 0;
  };
  using OwnTerms = std::vector<OwnTerm>;
  const OwnTerms& own_terms(PodId pod) const;
  OwnTerms resolve(const PodTerms& terms, const std::string& ns) const;
  bool prefers(PodId pod) const;
  TopologyTally& seen(TermHolders::Term& term, PodId pod) const { return prefers(pod) ? term.everywhere : term.listed; }
  void collect_points(PodId pod);

  const Books& books_;
  PodRelations& relations_;
  mutable boost::unordered_flat_map<std::uint64_t, OwnTerms> own_;  // by terms and namespace
  std::vector<std::int64_t> points_;                                // by node, of the pod at hand, used again
};

}  // namespace muster
