#pragma once

#include <span>
#include <vector>

#include "policy/kai/actions/scenario.h"
#include "policy/kai/session.h"

namespace muster::kai {

// Whether a scenario frees too few GPUs for its tasks to have a place each, when all of them ask for the same. To try such a
// scenario would leave a trace only in topologies and in victims that also have tasks that wait; there nothing is said, if
// that matters. Made for one search, during which nodes must be as they were.
class SlotOdds {
 public:
  enum class Traces : std::uint8_t { kMatter, kDoNotMatter };
  SlotOdds(Session& session, std::span<const PodId> pending, std::span<const VictimBatch> recorded,
           Traces traces = Traces::kMatter);

  // False: nothing can be said of any scenario.
  bool is_telling() const { return need_ > 0; }
  // Whether it can be said of scenarios with this batch, and the node that it leaves, if that is one.
  bool is_telling(const VictimBatch& batch) const;
  NodeId only_node(const VictimBatch& batch) const;
  // Whether the recorded victims and these free too little.
  bool surely_fails(std::span<const VictimBatch> potential);
  // By batch, whether it would be too little without that one, and so without any more of them.
  std::vector<char> needed(std::span<const VictimBatch> potential);

  // The same by parts: the places that are missing with the recorded victims alone, and those that a node would have.
  double missing() const { return missing_; }
  double slots_in(double room) const { return count_slots(room, need_); }
  double slots_on(NodeId node) const { return slots_in(rooms_[node]); }

 private:
  static double count_slots(double room, double need);

  const Cluster& cluster_;
  const Traces traces_;
  double need_ = 0;
  double missing_ = 0;
  IdVector<NodeId, double> rooms_;  // with the recorded victims gone
  IdVector<NodeId, double> tried_;  // what an attempt frees beyond that; all 0 between attempts
  std::vector<NodeId> touched_;
};

}  // namespace muster::kai
