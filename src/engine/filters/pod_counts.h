#pragma once

#include <array>
#include <vector>

#include "engine/books.h"
#include "engine/filters/matcher_index.h"
#include "engine/filters/topology_tally.h"

namespace muster {

// Which of the pods that are present count: spreading leaves out those that are going away.
enum class WhichPods : std::uint8_t { kAll, kStaying };

// For matchers that somebody asked about, how many of the pods that are present satisfy them, and where. A tally is made from the
// label sets that satisfy the matcher when it is first asked for, and follows every arrival and departure from then on.
class PodCounts : private PresenceObserver {
 public:
  PodCounts(Books& books, MatcherIndex& index, const Topology& topology);
  ~PodCounts() override { books_.ignore(*this); }
  PodCounts(const PodCounts&) = delete;
  PodCounts& operator=(const PodCounts&) = delete;

  // Valid until the next call. Takes in new label sets and namespaces first.
  TopologyTally& of(MatcherId matcher, WhichPods which);
  // Whoever marks a pod as going away while it is present says so here.
  void on_terminating_changed(PodId pod);

 private:
  struct Tallies {
    std::array<bool, 2> wanted{};
    std::array<TopologyTally, 2> of;
  };

  void on_arrive(PodId pod, NodeId node) override;
  void on_depart(PodId pod, NodeId node) override;
  void note_staying(PodId pod);
  void change(PodId pod, NodeId node, std::int32_t by);
  void count_present(MatcherId matcher, WhichPods which);
  bool restarted();
  bool counts(PodId pod, WhichPods which) const { return which == WhichPods::kAll || staying_[pod]; }

  Books& books_;
  MatcherIndex& index_;
  const Topology& topology_;
  IdVector<MatcherId, Tallies> tallies_;
  std::uint64_t restarts_seen_ = 0;
  IdVector<PodId, char> staying_;  // as of its arrival, so that a departure takes back what the arrival added
};

}  // namespace muster
