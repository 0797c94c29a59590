#pragma once

#include <cstdint>
#include <vector>

#include "engine/books.h"
#include "engine/filters/node_facts.h"

namespace muster {

// The taints of the cluster's nodes, with nodes that have the same taints put together: clusters have few different lists, so what
// a pod thinks of a list is worked out once and not per node.
class NodeTaints {
 public:
  explicit NodeTaints(const Books& books) : books_(books) {}

  struct Lists {
    std::vector<std::vector<Taint>> lists;    // the first is the empty one
    IdVector<NodeId, std::uint32_t> of_node;  // 0 for nodes that do not exist
    bool repel = false;                       // some node keeps pods away
    bool discourage = false;                  // some node is less welcome
  };
  // As of now; valid until facts about nodes change.
  const Lists& lists() const;

 private:
  void collect(Lists& into) const;

  const Books& books_;
  DerivedFromNodes<Lists> lists_;
};

}  // namespace muster
