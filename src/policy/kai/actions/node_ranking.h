#pragma once

#include <vector>

#include "policy/kai/session.h"

namespace muster::kai {

// The nodes of a set for one task, best first: by the sum of the plugins' scores, then by name. All nodes of the set are scored
// before any is looked at, because scores relate them to each other. Nodes that a plugin takes out do not appear.
class NodeRanking {
 public:
  NodeRanking(Session& session, PodId pod, const NodeSet& nodes);

  // The best node that was not handed out yet; none: there are no more.
  NodeId next();

 private:
  struct Entry {
    double score;
    std::uint32_t rank;  // of its name
    NodeId node;
    // In a heap the largest comes first.
    bool operator<(const Entry& other) const { return score != other.score ? score < other.score : rank > other.rank; }
  };
  std::vector<Entry> heap_;
};

}  // namespace muster::kai
