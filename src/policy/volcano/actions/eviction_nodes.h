#pragma once

#include <boost/container/small_vector.hpp>
#include <functional>
#include <map>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// Finds the nodes on which a pod could run if others left: nothing speaks against them that an eviction would not cure. A node that
// refused a task for good is not asked again for later tasks of the same role, for as long as the object lives.
class EvictionNodes {
 public:
  EvictionNodes(Session& session, bool remember_errors) : session_(session), remember_errors_(remember_errors) {}

  // Groups of nodes in the order in which they are to be tried, each in node order: with soft shards the own shard first, then the
  // others; else one group. pre_predicate() must have passed.
  std::vector<std::vector<NodeId>> find(PodId pod);
  // The same nodes as a set, among those given (nullptr: all). With kNeeded only those that will have room once those that are
  // leaving have left.
  enum class Room { kIgnored, kNeeded };
  Bitset find(PodId pod, const Bitset* among, Room room);
  // The best of those with room: free now before free later, then by score. None: there is none.
  NodeId best(PodId pod, const Bitset* among);

 private:
  // The nodes that have refused the pod's role; nullptr: that is not remembered.
  Bitset* refused_by(PodId pod);
  NodeId best_despite_refusals(PodId pod, const Bitset& feasible);

  Session& session_;
  bool remember_errors_;
  std::map<std::pair<GroupId, SymbolId>, Bitset> refused_;  // by job and role
};

// Which queues have anybody on a node whom an action might evict. Follows the changes of the nodes, so that whoever has been
// evicted already does not count. Whom plugins protect when it is first asked is no victim for as long as it lives: evictions
// only ever use up what budgets and gangs can do without. So it is to be asked before the action evicts anybody.
class PossibleVictims {
 public:
  // `point` is the question that the action puts to the plugins about victims, kPreemptable or kReclaimable.
  PossibleVictims(Session& session, Point point) : session_(session), point_(point) {}
  // Nodes with such pods of this queue. Valid until the next call.
  const Bitset& of(QueueId queue);
  // Whether another queue that may be reclaimed from has any on the node.
  bool any_of_others(QueueId queue, NodeId node);

 private:
  void follow();
  void count(NodeId node);
  void note_protected();
  bool is_protected(PodId pod, Plugin& plugin) const;

  Session& session_;
  Point point_;
  Bitset protected_;  // by pod
  bool counted_ = false;
  std::uint64_t seen_ = 0;  // place in the change log
  IdVector<QueueId, Bitset> nodes_;
  IdVector<NodeId, boost::container::small_vector<QueueId, 4>> queues_;
};

// Whether what the plugin says about victims rests on nothing of whom they would go for but queue, class, priorities and what the
// job holds, and whom it protects on the victims alone. Of plugins from outside nobody knows.
bool judges_alike(const Plugin& plugin);

// Pods on a node that pass the filter, in an order that does not depend on when they came.
std::vector<PodId> candidates_on(Session& session, GroupId taker, NodeId node, const std::function<bool(PodId)>& filter);

// Whether the node will have what the pod asks for, once those that are leaving have left and `more` is freed besides.
bool fits_later(const Books& books, PodId pod, NodeId node, const Amounts& more = {});

// Whether the node has that much free now.
bool fits_now(const Books& books, PodId pod, NodeId node);

// What pods hold together.
Amounts requests_of(const Books& books, std::span<const PodId> pods);

}  // namespace muster::volcano
