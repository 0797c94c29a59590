#pragma once

#include "engine/books.h"
#include "engine/filters/node_taints.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Keeps pods off nodes with a NoSchedule or NoExecute taint that they do not tolerate.
class TaintTolerationFilter : public NodeFilter {
 public:
  TaintTolerationFilter(const Books& books, FitTable& fits);

  Dependence dependence(PodId pod) const override;
  FitStatus check(PodId pod, NodeId node) const override;

 private:
  const Books& books_;
  FitStatus tainted_;
  NodeTaints taints_;
};

}  // namespace muster
