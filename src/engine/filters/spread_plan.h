#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <vector>

#include "base/bitset.h"
#include "engine/books.h"
#include "engine/filters/node_facts.h"
#include "engine/filters/node_taints.h"
#include "engine/filters/pod_relations.h"

namespace muster {

// The nodes among which a constraint spreads: those with the labels of all the pod's constraints of the same kind and, where the
// constraint says so, those that the pod's node affinity and tolerations admit.
struct SpreadScope {
  TopologyKeyId key;
  Bitset nodes;
  Bitset domains;  // that have such a node
  std::size_t domain_count = 0;
  bool whole = false;  // every node of every domain is in
};

// One constraint of a pod, ready to be counted.
struct SpreadPart {
  const SpreadConstraint* constraint = nullptr;
  const SpreadScope* scope = nullptr;
  std::optional<MatcherId> matcher;  // none: an empty selector, which counts nobody
  bool counts_itself = false;        // the pod would be counted where it goes
};

// Turns the spread constraints of pods that have the same consequence (refuse, or only prefer) into parts.
class SpreadPlan {
 public:
  SpreadPlan(const Books& books, PodRelations& relations, SpreadAction action);

  bool concerns(PodId pod) const;
  // In the order of the pod's constraints. Valid until the next call.
  const std::vector<SpreadPart>& parts(PodId pod);
  // The pods that count for a part, wherever they are; nullptr for nobody. Valid until the next call.
  TopologyTally* tally(const SpreadPart& part);
  // How many of them each domain holds, counting nodes of the scope only.
  void sum_domains(const SpreadPart& part, std::vector<std::int64_t>& sums);

 private:
  using Scopes = std::vector<SpreadScope>;
  const Scopes& scopes(PodId pod);
  void find_scopes(PodId pod, Scopes& into) const;
  SpreadScope find_scope(const SpreadConstraint& constraint, const PodShape& shape, const Bitset& labelled) const;
  std::optional<LabelSelector> selector_of(const SpreadConstraint& constraint, const StringMap& labels) const;

  const Books& books_;
  PodRelations& relations_;
  SpreadAction action_;
  NodeTaints taints_;
  boost::unordered_flat_map<std::uint64_t, DerivedFromNodes<Scopes>> scopes_;  // by shape and terms
  std::vector<SpreadPart> parts_;
};

}  // namespace muster
