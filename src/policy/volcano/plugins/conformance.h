#pragma once

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Keeps system pods from being evicted. It has no say in placing.
class Conformance final : public Plugin {
 public:
  explicit Conformance(Session& session) : Plugin(session) {}
  Points points() const override { return Points(Point::kPreemptable, Point::kReclaimable, Point::kGangEvictable); }

  bool protects() const override { return true; }
  Ballot preemptable(PodId, std::span<const PodId> candidates) override { return without_system_pods(candidates); }
  Ballot reclaimable(PodId, std::span<const PodId> candidates) override { return without_system_pods(candidates); }
  Ballot gang_evictable(const GangDemand&, std::span<const PodId> candidates) override { return without_system_pods(candidates); }

 private:
  Ballot without_system_pods(std::span<const PodId> candidates) const;
};

}  // namespace muster::volcano
