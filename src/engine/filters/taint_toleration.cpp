#include "engine/filters/taint_toleration.h"

#include "engine/filters/tolerance.h"

namespace muster {

TaintTolerationFilter::TaintTolerationFilter(const Books& books, FitTable& fits)
    : books_(books), tainted_(fits.status(FitCode::kUnresolvable, "node(s) had untolerated taint(s)")), taints_(books) {}

Dependence TaintTolerationFilter::dependence(PodId) const {
  return taints_.lists().repel ? Dependence::kNode : Dependence::kNothing;
}

FitStatus TaintTolerationFilter::check(PodId pod, NodeId node) const {
  const auto& taints = books_.node(node).taints;
  if (taints.empty()) return {};
  return repelled(books_.shape_of(pod).tolerations, taints) ? tainted_ : FitStatus{};
}

}  // namespace muster
