#include "engine/filters/node_affinity.h"

#include <algorithm>

namespace muster {
namespace {

bool names_nodes(const Requirement& field) { return field.key == "metadata.name" && field.op == SelectorOp::kIn; }

// Whether a term limits itself to named nodes and the names given in its parts have nothing in common.
bool names_no_node(const NodeSelectorTerm& term) {
  const auto first = std::find_if(term.fields.begin(), term.fields.end(), names_nodes);
  if (first == term.fields.end()) return false;
  return std::none_of(first->values.begin(), first->values.end(), [&](const std::string& name) {
    return std::all_of(first, term.fields.end(), [&](const Requirement& field) {
      return !names_nodes(field) || std::find(field.values.begin(), field.values.end(), name) != field.values.end();
    });
  });
}

bool contradicts_itself(const PodShape& shape) {
  if (!shape.node_required) return false;
  const auto& terms = shape.node_required->terms;
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), names_no_node);
}

}  // namespace

bool selects(const PodShape& shape, const NodeRecord& node) {
  for (const auto& [key, wanted] : shape.node_selector) {
    const auto* value = node.labels.find(key);
    if (value == nullptr || *value != wanted) return false;
  }
  return !shape.node_required || shape.node_required->matches(node.labels, node.name);
}

NodeAffinityFilter::NodeAffinityFilter(const Books& books, FitTable& fits)
    : books_(books),
      mismatch_(fits.status(FitCode::kUnresolvable, "node(s) didn't match Pod's node affinity/selector")),
      conflict_(fits.status(FitCode::kUnresolvable, "pod affinity terms conflict")) {}

Dependence NodeAffinityFilter::dependence(PodId pod) const {
  const auto& shape = books_.shape_of(pod);
  if (!shape.constrains_nodes()) return Dependence::kNothing;
  return contradicts_itself(shape) ? Dependence::kOthers : Dependence::kNode;
}

NodeFilter::Prepared NodeAffinityFilter::prepare(PodId pod) {
  const auto& shape = books_.shape_of(pod);
  if (!shape.constrains_nodes()) return {Preparation::kSkip, std::nullopt};
  if (contradicts_itself(shape)) return {Preparation::kCheck, conflict_};
  return {};
}

FitStatus NodeAffinityFilter::check(PodId pod, NodeId node) const {
  return selects(books_.shape_of(pod), books_.node(node)) ? FitStatus{} : mismatch_;
}

}  // namespace muster
