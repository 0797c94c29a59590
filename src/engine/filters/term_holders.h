#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "base/bitset.h"
#include "engine/books.h"
#include "engine/filters/matcher_index.h"
#include "engine/filters/topology_tally.h"

namespace muster {

// The nodes that hold a kind of pods, as the list stood when the cycle began. A node that gains its first such pod later is not on
// it until the next cycle; one that loses its last stays.
class FrozenNodes {
 public:
  bool has(NodeId node) const { return node.index() < listed_.size() && listed_.test(node.index()); }
  void change(NodeId node, std::int32_t by);
  // Brings the list up to date and calls on_added(node) for each new one.
  template <class F>
  void begin_cycle(std::size_t node_count, F&& on_added) {
    resize(std::max(node_count, holding_.size()));
    for (const auto node : changed_) {
      const bool holds = holding_[node] > 0;
      if (holds && !has(node)) on_added(node);
      listed_.assign(node.index(), holds);
    }
    changed_.clear();
  }

 private:
  void resize(std::size_t node_count);

  Bitset listed_;
  IdVector<NodeId, std::int32_t> holding_;
  std::vector<NodeId> changed_;  // nodes that began or ceased to hold since the list was made; may repeat
};

// The terms about other pods that pods bring with them to their nodes: required anti-affinity, which may keep a newcomer away, and
// preferred affinity and anti-affinity, which draw or push it. Pods with the same terms in the same namespace share them.
class TermHolders : private PresenceObserver {
 public:
  TermHolders(Books& books, MatcherIndex& index, Topology& topology);
  ~TermHolders() override { books_.ignore(*this); }
  TermHolders(const TermHolders&) = delete;
  TermHolders& operator=(const TermHolders&) = delete;

  // Which nodes' pods are seen through `listed` until the next call.
  void begin_cycle();

  // One term, and where its holders are.
  struct Term {
    MatcherId matcher;  // whom it is about
    TopologyKeyId key;
    std::int32_t weight = 0;   // 0: required anti-affinity; negative: preferred anti-affinity
    TopologyTally listed;      // holders on nodes that were on the list when the cycle began
    TopologyTally everywhere;  // preferred terms only
  };
  // The terms about pods with these labels. Valid until a pod arrives.
  struct About {
    std::vector<Term*> repelling;
    std::vector<Term*> weighing;
  };
  const About& about(LabelSetId labels);

 private:
  using TermIndex = std::uint32_t;
  struct Held {
    std::vector<TermIndex> anti, preferred;
    bool any_affinity = false;
  };

  void on_arrive(PodId pod, NodeId node) override { change(pod, node, +1); }
  void on_depart(PodId pod, NodeId node) override { change(pod, node, -1); }
  void change(PodId pod, NodeId node, std::int32_t by);
  const Held* held_by(PodId pod);
  Held resolve(const PodTerms& terms, const std::string& ns);
  TermIndex intern(const PodAffinityTerm& term, std::int32_t weight, const std::string& ns);

  Books& books_;
  MatcherIndex& index_;
  Topology& topology_;
  std::vector<Term> terms_;
  boost::unordered_flat_map<std::uint64_t, std::vector<TermIndex>> by_matcher_and_key_;
  IdVector<MatcherId, std::vector<TermIndex>> by_matcher_;
  boost::unordered_flat_map<std::uint64_t, Held> held_;  // by terms and namespace
  FrozenNodes with_anti_, with_affinity_;
  About about_;  // used again for every answer
};

}  // namespace muster
