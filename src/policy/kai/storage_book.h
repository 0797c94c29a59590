#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <string>
#include <vector>

#include "engine/ids.h"
#include "model/objects.h"
#include "policy/kai/status.h"

namespace muster::kai {

class Cluster;

// Storage that drivers provision when a pod has found its node, against what they say is left for the nodes that reach it. A cycle
// opens it with the claims and pods as they are; until it is closed, it follows every pod that comes to a node or leaves it.
//
// Only claims of classes count that wait for their pod and whose driver is there. A claim that one pod alone owns goes with it, so
// what such pods hold is as good as free once they leave. A node that reaches two capacities of one class has no storage at all.
class StorageBook {
 public:
  void set(const CsiDriver& driver) { drivers_[driver.meta.name] = driver; }
  void set(const CsiStorageCapacity& capacity) { capacities_[capacity.meta.ns + "/" + capacity.meta.name] = capacity; }

  void remove_driver(const std::string& name) { drivers_.erase(name); }
  void remove_capacity(const std::string& key) { capacities_.erase(key); }

  void open(const Cluster& cluster);
  void close() { active_ = false; }
  bool active() const { return active_; }

  // Enough for the pod's claims right now, or once those on the node that leave have left. Claims of another pod that is gone or
  // about to go are not there right now.
  bool fits_now(const Cluster& cluster, PodId pod, NodeId node) const;
  bool fits_later(const Cluster& cluster, PodId pod, NodeId node) const;
  // What is missing right now, as the original tells it; empty: nothing.
  std::string obstacle(const Cluster& cluster, PodId pod, NodeId node) const;

  // `planned`: its status is not yet decided.
  void add(PodId pod, NodeId node, Status status, bool planned);
  void remove(PodId pod, NodeId node, Status status, bool planned);

 private:
  using ClaimIndex = std::uint32_t;
  using ClassIndex = std::uint32_t;
  using CapacityIndex = std::uint32_t;

  struct Claim {
    std::int64_t size = 0;
    ClassIndex storage_class = 0;
    bool pending = false;
    bool bound = false;
    bool owner_gone = false;
    bool owned = false;  // by a pod, of which this is the name
    PodId owner;         // none: no such pod is there
    std::string owner_uid;
  };
  struct Capacity {
    std::int64_t size = 0;
    bool known = false;
    std::vector<ClaimIndex> provisioned;  // each once
  };
  struct Reach {
    ClassIndex storage_class;
    CapacityIndex capacity;
  };
  struct Use {
    ClaimIndex claim;
    bool own;
  };

  void find_classes(const Cluster& cluster);
  void find_reach(const Cluster& cluster);
  void find_claims(const Cluster& cluster);
  void take_claims(const Cluster& cluster, PodId pod);
  void count_provisioned(const Cluster& cluster);
  const std::vector<Use>& uses_of(PodId pod) const;
  const Capacity* capacity_for(NodeId node, ClassIndex storage_class) const;
  // What the pod would have provisioned, by class: twice what it owns and waits for while it is about to be moved.
  std::map<ClassIndex, std::int64_t> needs(const Cluster& cluster, PodId pod) const;
  std::int64_t left(const Capacity& capacity) const;
  template <class Index>
  static const std::string& name_of(const std::map<std::string, Index, std::less<>>& names, Index index);
  std::int64_t releasing(const Cluster& cluster, const Capacity& capacity, NodeId node) const;
  template <class Visit>
  void for_each_provisioned(PodId pod, NodeId node, Status status, bool planned, Visit&& visit);

  std::map<std::string, CsiDriver, std::less<>> drivers_;
  std::map<std::string, CsiStorageCapacity, std::less<>> capacities_;

  // Of the cycle.
  bool active_ = false;
  std::map<std::string, ClassIndex, std::less<>> classes_;  // that capacities or claims name
  std::vector<char> counts_;                                // by class: whether its claims count
  std::vector<Claim> claims_;
  std::map<std::string, ClaimIndex, std::less<>> claim_names_;
  boost::unordered_flat_map<PodId, std::vector<Use>> uses_;
  std::vector<Capacity> amounts_;  // in the order of capacities_
  IdVector<NodeId, std::vector<Reach>> reach_;
};

}  // namespace muster::kai
