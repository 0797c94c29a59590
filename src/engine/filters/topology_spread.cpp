#include "engine/filters/topology_spread.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace muster {

TopologySpreadFilter::TopologySpreadFilter(const Books& books, FitTable& fits, PodRelations& relations)
    : books_(books),
      topology_(relations.topology),
      plan_(books, relations, SpreadAction::kDoNotSchedule),
      missing_label_(fits.status(FitCode::kUnresolvable, "node(s) didn't match pod topology spread constraints (missing required label)")),
      too_skewed_(fits.status(FitCode::kUnschedulable, "node(s) didn't match pod topology spread constraints")) {}

Dependence TopologySpreadFilter::dependence(PodId pod) const {
  return plan_.concerns(pod) ? Dependence::kOthers : Dependence::kNothing;
}

NodeFilter::Prepared TopologySpreadFilter::prepare(PodId pod) {
  prepared_ = pod;
  const auto& parts = plan_.parts(pod);
  if (parts.empty()) return {Preparation::kSkip, std::nullopt};
  unlabelled_.resize(books_.node_count());
  skewed_.resize(books_.node_count());
  for (const auto& part : parts) apply(part);
  return {};
}

FitStatus TopologySpreadFilter::check(PodId pod, NodeId node) const {
  MUSTER_DCHECK(pod == prepared_);
  static_cast<void>(pod);
  if (unlabelled_.test(node.index())) return missing_label_;
  return skewed_.test(node.index()) ? too_skewed_ : FitStatus{};
}

void TopologySpreadFilter::restrict(PodId pod, Bitset& nodes) const {
  MUSTER_DCHECK(pod == prepared_);
  static_cast<void>(pod);
  nodes.subtract(unlabelled_).subtract(skewed_);
}

void TopologySpreadFilter::apply(const SpreadPart& part) {
  const auto& domains = topology_.domains(part.scope->key);
  lacking_.resize(books_.node_count(), true);
  unlabelled_ |= lacking_.subtract(domains.labelled).subtract(skewed_);

  plan_.sum_domains(part, sums_);
  const auto most_before = part.constraint->max_skew + emptiest(part) - (part.counts_itself ? 1 : 0);
  for (std::size_t d = 0; d < sums_.size(); ++d) {
    if (sums_[d] <= most_before) continue;
    for (const auto node : domains.nodes(DomainId(d)))
      if (!unlabelled_.test(node.index())) skewed_.set(node.index());
  }
}

// With fewer domains than the constraint wants, a domain that does not exist yet is the emptiest.
std::int64_t TopologySpreadFilter::emptiest(const SpreadPart& part) const {
  const auto& scope = *part.scope;
  if (scope.domain_count < static_cast<std::size_t>(std::max(part.constraint->min_domains.value_or(1), 1))) return 0;
  if (scope.domain_count == sums_.size()) return *std::min_element(sums_.begin(), sums_.end());
  auto least = std::numeric_limits<std::int64_t>::max();
  scope.domains.for_each([&](std::size_t d) { least = std::min(least, sums_[d]); });
  return least;
}

}  // namespace muster
