#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <vector>

#include "engine/node_search.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Pods that all enabled plugins treat alike: the same shape and the same class key from every plugin. Kept across cycles.
class ClassTable {
 public:
  // The shape is one of the keys.
  ClassId intern(const std::vector<std::uint64_t>& keys);
  std::size_t size() const { return ids_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uint64_t>& key) const;
  };
  boost::unordered_flat_map<std::vector<std::uint64_t>, ClassId, Hash> ids_;
};

// The predicates and scores of a session's plugins as the search sees them.
class SessionRules final : public PlacementRules {
 public:
  SessionRules(const Books& books, ClassTable& classes, std::vector<Plugin*> predicates, std::vector<Plugin*> orders,
               std::vector<Plugin*> batch_orders);

  ClassId class_of(PodId pod) override;
  Dependence filter_dependence(PodId pod) const override;
  void judge(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  void restrict_by_others(PodId pod, Bitset& nodes) const override;
  Dependence score_dependence(PodId pod) const override;
  bool score(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  bool has_local_part(PodId pod) const override;
  void score_local_part(PodId pod, std::span<const NodeId> nodes, std::span<ScorePart> parts) override;
  bool complete_scores(PodId pod, std::span<const NodeId> nodes, std::span<const ScorePart> parts,
                       std::span<double> totals) override;

 private:
  bool scoring_fails(PodId pod) const;
  std::size_t local_batch_orders(PodId pod) const;

  const Books& books_;
  ClassTable& classes_;
  std::vector<Plugin*> predicates_;
  std::vector<Plugin*> orders_;
  std::vector<Plugin*> batch_orders_;
  std::vector<Plugin*> keyed_;  // every plugin above, once
  std::vector<std::uint64_t> keys_;
  PodId last_pod_;  // asked about several times in a row
  ClassId last_class_;
  std::vector<double> single_;
  std::vector<double> batch_;
};

}  // namespace muster::volcano
