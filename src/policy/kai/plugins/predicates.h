#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "engine/node_filter.h"
#include "policy/kai/plugin.h"

namespace muster::kai {

// Whether a task may go to a node at all: its queue, the kind of GPUs, pod slots, the node's condition, and the filters of
// Kubernetes that KAI uses. There is no spreading over domains, and preferences do not count.
class Predicates final : public Plugin {
 public:
  explicit Predicates(Session& session);
  Points points() const override { return Points(Point::kPrePredicate, Point::kVictimInvariant, Point::kPredicate); }

  void open() override;
  std::optional<std::string> pre_predicate(PodId pod) override;
  std::optional<std::string> victim_invariant(PodId pod) override;
  FitStatus predicate(PodId pod, NodeId node) override;
  std::string tell_pre_predicate(PodId pod, const std::string& refusal) override;
  std::string tell_victim_invariant(PodId pod, const std::string& refusal) override;
  void tell_predicate(PodId pod, NodeId node, FitStatus status, FitTally& out) override;

 private:
  // The resource of which it asks for more than any node has.
  ResourceId exceeded(PodId pod) const;
  std::optional<std::string> exceeds_every_node(PodId pod) const;
  std::string tell_exceeded(PodId pod, ResourceId resource) const;
  std::string tell_request(PodId pod) const;
  std::string_view tell_gpu_kind(PodId pod, NodeId node) const;
  void tell_named(std::string_view before, PodId pod, std::string_view between, NodeId node, FitTally& out);
  FitStatus check_gpu_kind(PodId pod, NodeId node) const;
  FitStatus check_slots(PodId pod, NodeId node);
  FitStatus check_worker(PodId pod, NodeId node) const;

  std::array<NodeFilter*, 5> filters_{};
  std::vector<std::int64_t> largest_;                        // by resource, over all nodes
  boost::unordered_flat_map<PodId, std::uint32_t> skipped_;  // a bit for each filter that once had nothing to check
  FitStatus over_capacity_, wrong_gpu_, memory_unknown_, no_slot_, not_ready_, not_worker_;
};

}  // namespace muster::kai
