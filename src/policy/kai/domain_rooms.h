#pragma once

#include <deque>
#include <span>
#include <vector>

#include "policy/kai/cluster.h"
#include "policy/kai/domains.h"

namespace muster::kai {

// What tasks ask for that are to be placed together, by resource, in the original's units: devices for GPUs, what the books count
// for everything else.
struct Demand {
  std::size_t tasks = 0;
  std::vector<double> sum;
  std::vector<double> largest;  // that any one of them asks for
  bool alike = true;            // they ask for the same kinds of things, if not for as much
  bool slots_only = true;       // and for nothing but a pod's slot

  Demand(const Cluster& cluster, std::span<const PodId> pods);
};

// A topology's domains with what they have free, now or once those that leave have left. Kept up by the books' log: a change of a
// node changes the sums of the domains that it is in, and how many tasks they take of each size that was asked for.
class DomainRooms {
 public:
  DomainRooms(const Cluster& cluster, const KaiTopology& topology);

  const DomainTree& tree() const { return tree_; }
  // Whether the tree is of the nodes as they are.
  bool is_current() const { return facts_version_ == cluster_.books().node_facts_version(); }

  // The domains as they are now, seen by a demand.
  class View {
   public:
    // By the count of tasks as large as the largest, one node at a time; of unlike tasks by their sum.
    bool fits(DomainId domain) const;
    // The tasks that a domain takes; of unlike tasks none is counted.
    std::int64_t takes(DomainId domain) const;
    // The part of what the domain has free that is asked for, of the resource of which it is most.
    double ratio(DomainId domain) const;
    const Demand& demand() const { return demand_; }
    // Of a resource, in the demand's units.
    double free(std::size_t resource, DomainId domain) const;

   private:
    friend class DomainRooms;
    View(const DomainRooms& rooms, const Demand& demand, const std::vector<std::int64_t>* counts)
        : rooms_(rooms), demand_(demand), counts_(counts) {}
    const DomainRooms& rooms_;
    const Demand& demand_;
    const std::vector<std::int64_t>* counts_;  // by domain; nullptr: not counted
  };
  // Good until the next one is asked for or the books change.
  View view(const Demand& demand);

 private:
  // How many tasks of one size nodes and domains take.
  struct Count {
    std::vector<double> size;  // by resource
    std::vector<std::int64_t> on_node, in_domain;
    std::uint64_t cursor = 0;
    bool fresh = true;
  };
  double in_units(std::size_t resource, std::int64_t amount) const;
  std::int64_t free_on(std::size_t resource, NodeId node) const;
  std::int64_t tasks_on(const std::vector<double>& size, NodeId node) const;
  void add_up(NodeId node, std::vector<std::int64_t>& in_domain, std::int64_t change) const;
  template <class Repair>
  void follow(std::uint64_t& cursor, bool& fresh, Repair repair) const;
  void update_sums();
  Count& count_of(const std::vector<double>& size);

  const Cluster& cluster_;
  DomainTree tree_;
  std::uint64_t facts_version_;
  std::vector<std::vector<std::int64_t>> on_node_, in_domain_;  // what is free, by resource
  std::uint64_t cursor_ = 0;
  bool fresh_ = true;
  std::deque<Count> counts_;  // latest made last
};

}  // namespace muster::kai
