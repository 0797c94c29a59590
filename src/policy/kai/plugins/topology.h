#pragma once

#include <map>
#include <vector>

#include "policy/kai/domain_rooms.h"
#include "policy/kai/plugin.h"

namespace muster::kai {

// Keeps parts of jobs within domains of a topology: in one domain of the level that they require, as narrow as the level that they
// prefer if that can be, the fullest that has room first. Within a wider domain nodes of the emptiest preferred domains come first.
class Topology final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kSubsetNodes, Point::kPreJobAllocation, Point::kNodeOrder); }

  Result<std::optional<std::vector<NodeSet>>> subset_nodes(Job& job, SubGroupId part, std::span<const PodId> tasks,
                                                           const NodeSet& nodes) override;
  void pre_job_allocation(Job&) override { scores_.clear(); }
  NodeScores node_scores(PodId pod) override { return scores_for(pod) == nullptr ? NodeScores::kNone : NodeScores::kWhole; }
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;

 private:
  // The domains of each depth below a first one in the order in which they are tried: fullest first, by name.
  using Order = std::vector<std::vector<DomainId>>;
  // What nodes get for the domain of the preferred level that they are in.
  struct Scores {
    const DomainTree* tree = nullptr;
    std::size_t depth = 0;
    IdVector<DomainId, double> points;  // NaN: not to be had
  };
  // Which depths are tried, deepest first: from the preferred level up to the required one.
  struct Depths {
    std::size_t deepest, widest;
  };
  static Result<Depths> depths(const DomainTree& tree, const KaiTopologyConstraint& constraint);
  std::size_t deepest_common(const DomainTree& tree, const KaiTopologyConstraint& constraint);
  static Order order_below(const DomainTree& tree, const DomainRooms::View& view, DomainId from, std::size_t deepest);
  // Those of the task's PodSet, or of the nearest set around it that has some.
  const Scores* scores_for(PodId pod) const;
  void keep_scores(SubGroupId part, const DomainTree& tree, const Order& order, std::size_t depth);
  // Domains of the required level in which the job stands already; nothing: anywhere will do.
  using Held = std::optional<std::vector<DomainId>>;
  // The PodSets below a part that have to be in one domain with these tasks.
  std::vector<SubGroupId> bound_together(const Job& job, SubGroupId part, std::span<const PodId> tasks) const;
  Held occupied(const Job& job, SubGroupId part, std::span<const PodId> tasks, const DomainTree& tree, std::size_t required) const;
  static bool may_take(const DomainTree& tree, const Held& held, DomainId domain);
  static std::vector<DomainId> domains_with_room(const DomainTree& tree, const DomainRooms::View& view, DomainId common,
                                                 const Order& order, const Depths& tried, const Held& held);

  // ---- topology_text.cpp
  // Where was looked: in domains of the widest level or below, within what the given nodes have in common.
  struct Tried {
    const DomainTree* tree;
    DomainId common;
    std::size_t widest;
    const Held& held;
  };
  static void note_too_little(Job& job, SubGroupId part, const DomainTree& tree, DomainId common);
  void note_full(Job& job, SubGroupId part, const DomainRooms::View& view, const Tried& tried) const;
  JobFitError tell_full(const DomainRooms::View& view, const Tried& tried, DomainId domain, const std::string& sub_group) const;

  std::map<SubGroupId, Scores> scores_;
};

}  // namespace muster::kai
