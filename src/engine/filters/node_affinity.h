#pragma once

#include "engine/books.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Node selectors and required node affinity.
class NodeAffinityFilter : public NodeFilter {
 public:
  NodeAffinityFilter(const Books& books, FitTable& fits);

  // kOthers for the rare pod whose terms contradict each other by name: that is told before any node is looked at.
  Dependence dependence(PodId pod) const override;
  Prepared prepare(PodId pod) override;
  FitStatus check(PodId pod, NodeId node) const override;

 private:
  const Books& books_;
  FitStatus mismatch_;
  FitStatus conflict_;
};

// Whether a node has what the shape's selector and required affinity ask for.
bool selects(const PodShape& shape, const NodeRecord& node);

}  // namespace muster
