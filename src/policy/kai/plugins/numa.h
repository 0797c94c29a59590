#pragma once

#include <set>
#include <string>
#include <vector>

#include "policy/kai/numa/numa_fit.h"
#include "policy/kai/plugin.h"

namespace muster::kai {

// Foresees what the topology manager of a node would do with a pod: refuses nodes where it would turn the pod away, prefers those
// where the pod spans few zones, and keeps account of what zones have left.
class Numa final : public Plugin {
 public:
  Numa(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kPredicate, Point::kNumaPlacement, Point::kNodeOrder, Point::kEvents); }

  void open() override;
  FitStatus predicate(PodId pod, NodeId node) override;
  void tell_predicate(PodId pod, NodeId node, FitStatus status, FitTally& out) override;
  NumaPlacement numa_placement(PodId pod, NodeId node) override;
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  void on_allocate(PodId pod) override { charge(pod, -1); }
  void on_deallocate(PodId pod) override { charge(pod, +1); }

 private:
  // A node with zones, and what they have left.
  struct State {
    const NumaNode* node = nullptr;
    NumaTable free;
    std::vector<char> counts;         // by resource: not ignored
    std::vector<char> counts_always;  // for pods of every kind
  };
  const NumaRequest* request_of(PodId pod) const;
  void open_node(NodeId id, const NumaNode& node);
  void seed(PodId pod);
  NumaPlacement recorded(PodId pod, const NumaNode& node) const;
  void charge(State& state, const NumaPlacement& placement, double sign);
  void charge(PodId pod, double sign);
  bool concerns(PodId pod, const NumaRequest& request, const State& state) const;
  bool asks_for(PodId pod, const NumaRequest& request, SymbolId resource) const;
  std::optional<NumaTable> place(const NumaRequest& request, const State& state) const;
  std::optional<std::size_t> span(PodId pod, const NumaRequest& request, const State& state) const;

  std::set<std::string, std::less<>> ignored_;
  bool reconstructs_;
  std::set<SymbolId> ignored_ids_;
  IdVector<NodeId, State> states_;
  std::size_t most_zones_ = 0;
  std::set<SymbolId> devices_;  // that some node aligns
  SymbolId gpu_;
  FitStatus not_aligned_;
};

}  // namespace muster::kai
