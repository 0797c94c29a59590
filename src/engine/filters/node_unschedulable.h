#pragma once

#include "engine/books.h"
#include "engine/filters/node_facts.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Keeps pods off cordoned nodes, unless they tolerate the taint that a cordon sets.
class NodeUnschedulableFilter : public NodeFilter {
 public:
  NodeUnschedulableFilter(const Books& books, FitTable& fits);

  Dependence dependence(PodId pod) const override;
  FitStatus check(PodId pod, NodeId node) const override;

 private:
  bool any_cordoned() const;

  const Books& books_;
  FitStatus cordoned_;
  DerivedFromNodes<bool> any_cordoned_;
};

}  // namespace muster
