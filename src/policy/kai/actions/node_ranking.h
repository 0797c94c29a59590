#pragma once

#include <vector>

#include "policy/kai/actions/node_classes.h"

namespace muster::kai {

// The nodes of a set for one task, best first: by the sum of the plugins' scores, then by name. All nodes of the set are scored
// before any is looked at, because scores relate them to each other. Nodes that a plugin takes out do not appear, and those without
// room need not. The set must outlive the ranking.
class NodeRanking {
 public:
  NodeRanking(Session& session, PodId pod, const NodeSet& nodes);

  // The best node that was not handed out yet; none: there are no more.
  NodeId next();
  // What those lack that did not appear because they have no room.
  void tell_left_out(FitTally& out);

 private:
  struct Entry {
    NodeClass::Grade grade;
    std::uint32_t rank = 0;  // of its name
    NodeId node;
    // In a heap the largest comes first.
    bool operator<(const Entry& other) const {
      if (other.grade.is_better(grade)) return true;
      return !grade.is_better(other.grade) && rank > other.rank;
    }
  };
  void score_all(PodId pod);
  NodeId find_best() const;
  void rank_all();

  Session& session_;
  PodId pod_;
  const NodeSet& nodes_;
  NodeClass* of_ = nullptr;           // where only nodes with room appear
  const NodeClass* class_ = nullptr;  // until all are ranked
  NodeId best_;                       // was handed out before all were ranked
  std::vector<Entry> heap_;
};

}  // namespace muster::kai
