#include "engine/filters/node_unschedulable.h"

#include "engine/filters/tolerance.h"

namespace muster {
namespace {

const Taint& cordon_taint() {
  static const Taint kTaint{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
  return kTaint;
}

}  // namespace

NodeUnschedulableFilter::NodeUnschedulableFilter(const Books& books, FitTable& fits)
    : books_(books), cordoned_(fits.status(FitCode::kUnresolvable, "node(s) were unschedulable")) {}

bool NodeUnschedulableFilter::any_cordoned() const {
  return any_cordoned_.get(books_, [&](bool& any) {
    any = false;
    for (const auto node : IdRange<NodeId>(books_.node_count())) any |= books_.node(node).known && books_.node(node).unschedulable;
  });
}

Dependence NodeUnschedulableFilter::dependence(PodId pod) const {
  if (!any_cordoned() || accepts(books_.shape_of(pod).tolerations, cordon_taint())) return Dependence::kNothing;
  return Dependence::kNode;
}

FitStatus NodeUnschedulableFilter::check(PodId pod, NodeId node) const {
  if (!books_.node(node).unschedulable || accepts(books_.shape_of(pod).tolerations, cordon_taint())) return {};
  return cordoned_;
}

}  // namespace muster
