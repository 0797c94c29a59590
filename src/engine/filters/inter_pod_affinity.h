#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>
#include <vector>

#include "base/bitset.h"
#include "engine/books.h"
#include "engine/filters/pod_relations.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Required pod affinity and anti-affinity of the pod, and the required anti-affinity of pods that are there already. The pod's own
// terms see every present pod; those of others are seen on the nodes that PodRelations::begin_cycle() listed.
// prepare() works out the answer for all nodes; later changes of the books do not alter it.
class InterPodAffinityFilter : public NodeFilter {
 public:
  InterPodAffinityFilter(const Books& books, FitTable& fits, PodRelations& relations);

  Dependence dependence(PodId pod) const override;
  Prepared prepare(PodId pod) override;
  FitStatus check(PodId pod, NodeId node) const override;
  void restrict(PodId pod, Bitset& nodes) const override;

 private:
  // A pod's own required terms. The affinity terms look for pods that satisfy all of them at once.
  struct OwnTerms {
    MatcherId wanted;
    std::vector<TopologyKeyId> near;
    std::vector<std::pair<MatcherId, TopologyKeyId>> away_from;
    bool empty() const { return near.empty() && away_from.empty(); }
  };
  const OwnTerms& own_terms(PodId pod) const;
  OwnTerms resolve(const PodTerms& terms, const std::string& ns) const;
  bool others_mind(PodId pod) const;
  void allow_near_wanted(PodId pod, const OwnTerms& own);

  const Books& books_;
  PodRelations& relations_;
  FitStatus not_near_, not_away_, unwelcome_;
  mutable boost::unordered_flat_map<std::uint64_t, OwnTerms> own_;  // by terms and namespace

  // For the pod that was prepared last.
  PodId prepared_;
  Bitset allowed_;   // by its affinity
  Bitset too_near_;  // by its anti-affinity
  Bitset refused_;   // by the anti-affinity of others
  Bitset near_one_;  // used again
};

}  // namespace muster
