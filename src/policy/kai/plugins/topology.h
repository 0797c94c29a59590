#pragma once

#include <map>
#include <optional>
#include <vector>

#include "policy/kai/plugin.h"
#include "policy/kai/topology_tree.h"

namespace muster::kai {

// Keeps the parts of a job close together: each in one domain of the level that it requires, in the narrowest that takes it, the
// fullest first. Within a domain, its nodes are preferred by how empty their domain of the preferred level is.
class Topology final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kSubsetNodes, Point::kNodeOrder, Point::kPreJobAllocation); }

  void open() override;
  Result<std::optional<std::vector<NodeSet>>> subset_nodes(Job& job, SubGroupId part, std::span<const PodId> tasks,
                                                           const NodeSet& nodes) override;
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  void pre_job_allocation(Job&) override { scores_.clear(); }

 private:
  struct Levels {
    std::size_t required = 0;   // 0: none
    std::size_t preferred = 0;  // 0: none
  };
  // What tasks ask for together, and what there is below a domain.
  struct Demand {
    std::vector<std::int64_t> sum;      // by resource
    std::vector<std::int64_t> largest;  // of one task
    double gpu_portion = 0;             // of a shared GPU that one task asks for
    std::int64_t gpu_devices = 0;
    std::size_t tasks = 0;
    bool alike = false;  // so that pods can be counted
  };
  struct Room {
    std::vector<std::int64_t> free;    // by resource; empty: not looked at
    std::optional<std::int64_t> pods;  // that would fit
  };
  Demand demand_of(std::span<const PodId> tasks) const;
  void look_below(TopologyTree& tree, DomainId id, const Demand& demand);
  std::int64_t pods_on(NodeId node, const Demand& demand) const;
  double fullness(const Demand& demand, DomainId id) const;
  bool fits(const Demand& demand, DomainId id) const;
  void sort_below(TopologyTree& tree, DomainId id, std::size_t deepest, const Demand& demand);
  void score_nodes(const TopologyTree& tree, DomainId id, std::size_t level, SubGroupId part);
  std::vector<DomainId> candidates(const Job& job, SubGroupId part, const TopologyTree& tree, const Levels& levels,
                                   const Demand& demand, std::size_t& misfits) const;

  std::map<std::string, TopologyTree, std::less<>> trees_;
  IdVector<DomainId, Room> rooms_;                         // of the tree at hand
  std::map<SubGroupId, std::map<NodeId, double>> scores_;  // of the job at hand
};

}  // namespace muster::kai
