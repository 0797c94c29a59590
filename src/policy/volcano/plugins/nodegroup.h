#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "policy/volcano/plugin.h"
#include "policy/volcano/queue.h"

namespace muster::volcano {

// Gives queues node groups of their own: a node's label names its group, a queue's affinity says which groups its pods may use and
// prefer, and an annotation may limit how much of a group the queue may hold.
class NodeGroup final : public Plugin {
 public:
  NodeGroup(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kPredicate, Point::kNodeOrder); }

  void open() override;

  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  void restrict_by_others(PodId pod, Bitset& nodes) const override;
  Dependence order_dependence(PodId pod) const override;
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  // What the pod's queue says about groups, not which queue it is: answers outlive the cycle and queues change.
  std::uint64_t class_key(PodId pod) const override;

  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

 private:
  // What a queue thinks of one of the groups that it names. All others are closed to it.
  struct Opinion {
    SymbolId group;
    bool allowed = false;
    double score = 0;
  };
  struct Limit {
    SymbolId group;
    Amounts most;  // only the resources that are limited
    Amounts held;  // by the queue's pods on nodes of the group
  };
  struct QueueRules {
    std::vector<Opinion> opinions;  // empty: the queue has no affinity
    bool limits_unreadable = false;
    std::vector<Limit> limits;
    std::uint64_t key = 0;

    const Opinion* find(SymbolId group) const;
  };

  const QueueInfo* affinity_source(QueueId queue) const;
  std::vector<Opinion> opinions_of(const QueueInfo& source) const;
  void read_limits(const QueueInfo& queue, QueueRules& rules) const;
  std::uint64_t key_of(const QueueRules& rules) const;
  void count_holders();
  void count(PodId pod);

  const QueueRules& rules_of(PodId pod) const;
  SymbolId group_of(NodeId node) const;  // none: the node has no label
  std::optional<FitStatus> refusal(PodId pod, NodeId node, Dependence up_to) const;
  bool exceeds(const Limit& limit, PodId pod) const;

  bool strict_;
  bool by_preference_;  // earlier preferred groups score higher
  FitStatus limits_invalid_, label_missing_, affinity_missing_, unsatisfied_, limit_exceeded_;

  QueueRules no_rules_;
  IdVector<QueueId, QueueRules> rules_;
  bool any_limits_ = false;
  boost::unordered_flat_map<PodId, Limit*, std::hash<PodId>> counted_;
  mutable IdVector<NodeId, std::optional<SymbolId>> groups_;  // looked up once per cycle
};

}  // namespace muster::volcano
