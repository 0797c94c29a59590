#include "engine/filters/spread_plan.h"

#include <algorithm>

#include "engine/filters/node_affinity.h"
#include "engine/filters/tolerance.h"

namespace muster {

SpreadPlan::SpreadPlan(const Books& books, PodRelations& relations, SpreadAction action)
    : books_(books), relations_(relations), action_(action), taints_(books) {}

bool SpreadPlan::concerns(PodId pod) const {
  const auto terms = books_.pod(pod).terms;
  if (!terms) return false;
  const auto& spread = books_.terms(terms).spread;
  return std::any_of(spread.begin(), spread.end(), [&](const auto& constraint) { return constraint.action == action_; });
}

const std::vector<SpreadPart>& SpreadPlan::parts(PodId pod) {
  parts_.clear();
  if (!concerns(pod)) return parts_;
  relations_.matchers.catch_up();
  const auto& record = books_.pod(pod);
  const auto& labels = books_.label_set(record.labels).labels;
  const auto& found = scopes(pod);
  for (const auto& constraint : books_.terms(record.terms).spread) {
    if (constraint.action != action_) continue;
    SpreadPart part{&constraint, &found[parts_.size()], std::nullopt, true};
    const auto selector = selector_of(constraint, labels);
    if (!selector || !selector->requirements.empty()) {
      part.matcher = relations_.matchers.intern({{{PodClause::Side::kExisting, {books_.symbols().text(record.ns)}, {}, selector}}});
      part.counts_itself = relations_.matchers.satisfies(record.labels, *part.matcher);
    }
    parts_.push_back(part);
  }
  return parts_;
}

// The pod's own values of some labels may be added to what the selector asks for; to a selector for nobody they add nothing.
std::optional<LabelSelector> SpreadPlan::selector_of(const SpreadConstraint& constraint, const StringMap& labels) const {
  if (!constraint.selector || constraint.match_label_keys.empty()) return constraint.selector;
  LabelSelector merged;
  for (const auto& key : constraint.match_label_keys)
    if (const auto* value = labels.find(key)) merged.requirements.push_back({key, SelectorOp::kIn, {*value}});
  const auto& more = constraint.selector->requirements;
  merged.requirements.insert(merged.requirements.end(), more.begin(), more.end());
  return merged;
}

TopologyTally* SpreadPlan::tally(const SpreadPart& part) {
  return part.matcher ? &relations_.counts.of(*part.matcher, WhichPods::kStaying) : nullptr;
}

void SpreadPlan::sum_domains(const SpreadPart& part, std::vector<std::int64_t>& sums) {
  const auto& scope = *part.scope;
  if (auto* counted = tally(part))
    return counted->sum_domains(relations_.topology, scope.key, scope.whole ? nullptr : &scope.nodes, sums);
  sums.assign(relations_.topology.domains(scope.key).count(), 0);
}

const SpreadPlan::Scopes& SpreadPlan::scopes(PodId pod) {
  const auto key = (std::uint64_t{books_.pod(pod).shape.index()} << 32) | books_.pod(pod).terms.index();
  return scopes_[key].get(books_, [&](Scopes& into) { find_scopes(pod, into); });
}

void SpreadPlan::find_scopes(PodId pod, Scopes& into) const {
  into.clear();
  Bitset labelled(books_.node_count(), true);
  const auto& spread = books_.terms(books_.pod(pod).terms).spread;
  for (const auto& constraint : spread)
    if (constraint.action == action_)
      labelled &= relations_.topology.domains(relations_.topology.key(constraint.topology_key)).labelled;
  for (const auto& constraint : spread)
    if (constraint.action == action_) into.push_back(find_scope(constraint, books_.shape_of(pod), labelled));
}

SpreadScope SpreadPlan::find_scope(const SpreadConstraint& constraint, const PodShape& shape, const Bitset& labelled) const {
  SpreadScope scope;
  scope.key = relations_.topology.key(constraint.topology_key);
  scope.nodes = labelled;
  const auto& taints = taints_.lists();
  const bool by_affinity = constraint.node_affinity == NodeInclusion::kHonor && shape.constrains_nodes();
  const bool by_taints = constraint.node_taints == NodeInclusion::kHonor && taints.repel;
  if (by_affinity || by_taints)
    labelled.for_each([&](std::size_t n) {
      const auto& node = books_.node(NodeId(n));
      if ((by_affinity && !selects(shape, node)) || (by_taints && repelled(shape.tolerations, node.taints))) scope.nodes.reset(n);
    });
  const auto& domains = relations_.topology.domains(scope.key);
  scope.domains.resize(domains.count());
  scope.nodes.for_each([&](std::size_t n) { scope.domains.set(domains.of_node[NodeId(n)].index()); });
  scope.domain_count = scope.domains.count();
  scope.whole = scope.nodes == domains.labelled;
  return scope;
}

}  // namespace muster
