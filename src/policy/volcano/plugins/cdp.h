#pragma once

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Cool-down protection: a pod says for how long after it was scheduled it wants to be left alone, by the key
// volcano.sh/cooldown-time among its labels or else its annotations. Gangs that make room do not ask.
class Cdp final : public Plugin {
 public:
  explicit Cdp(Session& session) : Plugin(session) {}
  Points points() const override { return Points(Point::kPreemptable, Point::kReclaimable); }

  bool protects() const override { return true; }
  Ballot preemptable(PodId, std::span<const PodId> candidates) override { return without_cooling(candidates); }
  Ballot reclaimable(PodId, std::span<const PodId> candidates) override { return without_cooling(candidates); }

 private:
  Ballot without_cooling(std::span<const PodId> candidates) const;
  bool is_cooling(PodId pod) const;
};

}  // namespace muster::volcano
