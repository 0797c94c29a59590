#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "policy/volcano/actions/gang_victims.h"

namespace muster::volcano {

// Who might leave for one pod in a domain, in the order in which they go: what GangRoom and GangVictims find out anew for every
// gang, kept up to date with the nodes that changed, for all jobs of one pod that are alike. It knows no more than the first few,
// and only if no plugin speaks against any of them.
class VictimStock {
 public:
  // All that the order rests on besides the state of the cluster.
  struct Key {
    GangDemand::Kind kind;
    QueueId queue;
    std::int32_t priority = 0;
    ClassId pod_class;
    ShapeId shape;
    HyperNodeId domain;
    auto operator<=>(const Key&) const = default;
  };
  // `demand` is that of the first of the jobs, whose pod waits.
  VictimStock(Session& session, const GangDemand& demand, GangVictims::Gangs gangs, PodId pod, HyperNodeId domain);
  VictimStock(const VictimStock&) = delete;
  VictimStock& operator=(const VictimStock&) = delete;

  // Whether such stocks can be kept at all: nothing that is tried leaves a trace, and all plugins are known to judge the first
  // candidates as if there were no others.
  static bool can_be_kept(const Session& session);

  // Looks at what changed. False: what speaks against nodes cannot be told for the pod.
  bool follow(PodId pod);
  // Whether the domain would have that much if everybody left.
  bool could_have(const Amounts& need) const;
  const GangRoom& room() const { return room_; }

  // The first bundles for a job like the first, as GangVictims::bundle() would give them. None: it cannot be told.
  struct First {
    std::vector<VictimBundle> bundles;
    bool all = false;  // there are no others
  };
  std::optional<First> first(const GangDemand& demand);

 private:
  struct Standing {  // of one node
    std::vector<GroupId> jobs;
    std::int64_t leaving = 0;  // candidates
    std::int64_t gain = 0;     // so many more pods have room without them
    Amounts held;
    bool listed = false;
  };
  struct Place {  // of a bundle in the order
    VictimBundle::Kind kind;
    double gain = 0;
    GroupId job;
    std::size_t at = 0;  // among its job's
  };
  struct Before {
    VictimStock* stock;
    bool operator()(const Place& l, const Place& r) const;
  };
  struct NodeBefore {
    VictimStock* stock;
    bool operator()(NodeId l, NodeId r) const;
  };
  using Order = std::set<Place, Before>;
  struct Entry {
    QueueId queue;
    std::vector<VictimBundle> bundles;
    std::vector<Order::iterator> places;
    bool complete = false;  // no pod of it is left when all these go
  };

  void renew(NodeId node);
  void renew_best();
  void take_out(GroupId job);
  void put_in(GroupId job);
  void rank_nodes_of(const std::vector<PodId>& pods);
  bool nobody_minds(const GangDemand& demand, const std::vector<PodId>& pods) const;
  template <class F>
  bool in_order(F&& visit);

  Session& session_;
  GangVictims victims_;
  GangVictims::Gangs gangs_;
  PodId pod_;
  Amounts need_;
  HyperNodeId domain_;
  QueueId taker_;
  GangDemand::Kind kind_;
  Bitset inside_;     // nodes of the domain
  Bitset may_go_to_;  // nodes
  GangRoom room_;
  IdVector<NodeId, std::uint32_t> positions_;  // of nodes in the domain
  IdVector<NodeId, Standing> standing_;
  std::set<NodeId, NodeBefore> nodes_;  // those that help and have candidates, the best first
  NodeId best_;
  boost::unordered_flat_set<GroupId> dirty_;
  boost::unordered_flat_map<GroupId, Entry> entries_;
  std::map<std::pair<VictimBundle::Kind, QueueId>, Order> order_;
  std::size_t divided_ = 0;            // jobs with sub-jobs, of which nothing is told
  std::optional<std::uint64_t> seen_;  // place in the change log
};

}  // namespace muster::volcano
