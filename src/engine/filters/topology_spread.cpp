#include "engine/filters/topology_spread.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace muster {
namespace {

// How many pods a domain may hold so that one more is not too many, when the emptiest domain holds `least`. With fewer domains than
// the constraint wants, one that does not exist yet is the emptiest.
std::int64_t most_before(const SpreadPart& part, std::int64_t least) {
  const auto& constraint = *part.constraint;
  const auto wanted = static_cast<std::size_t>(std::max(constraint.min_domains.value_or(1), 1));
  const auto emptiest = part.scope->domain_count < wanted ? 0 : least;
  return constraint.max_skew + emptiest - (part.counts_itself ? 1 : 0);
}

}  // namespace

TopologySpreadFilter::TopologySpreadFilter(const Books& books, FitTable& fits, PodRelations& relations)
    : books_(books),
      topology_(relations.topology),
      plan_(books, relations, SpreadAction::kDoNotSchedule),
      missing_label_(
          fits.status(FitCode::kUnresolvable, "node(s) didn't match pod topology spread constraints (missing required label)")),
      too_skewed_(fits.status(FitCode::kUnschedulable, "node(s) didn't match pod topology spread constraints")) {}

Dependence TopologySpreadFilter::dependence(PodId pod) const {
  return plan_.concerns(pod) ? Dependence::kOthers : Dependence::kNothing;
}

NodeFilter::Prepared TopologySpreadFilter::prepare(PodId pod) {
  prepared_ = pod;
  unlabelled_.resize(books_.node_count());
  skewed_.resize(books_.node_count());
  const auto& parts = plan_.parts(pod);
  if (parts.empty()) return {Preparation::kSkip, std::nullopt};
  for (const auto& part : parts) apply(part);
  return {};
}

FitStatus TopologySpreadFilter::check(PodId pod, NodeId node) const {
  if (!MUSTER_EXPECT(pod == prepared_)) return {};
  if (unlabelled_.test(node.index())) return missing_label_;
  return skewed_.test(node.index()) ? too_skewed_ : FitStatus{};
}

void TopologySpreadFilter::restrict(PodId pod, Bitset& nodes) const {
  if (!MUSTER_EXPECT(pod == prepared_)) return;
  nodes.subtract(unlabelled_).subtract(skewed_);
}

void TopologySpreadFilter::apply(const SpreadPart& part) {
  const auto& domains = topology_.domains(part.scope->key);
  lacking_.resize(books_.node_count(), true);
  unlabelled_ |= lacking_.subtract(domains.labelled).subtract(skewed_);
  crowded_.resize(books_.node_count());
  domains.single ? mark_crowded_nodes(part) : mark_crowded(part);
  skewed_ |= crowded_.subtract(unlabelled_);
}

void TopologySpreadFilter::mark_crowded(const SpreadPart& part) {
  plan_.sum_domains(part, sums_);
  auto least = std::numeric_limits<std::int64_t>::max();
  part.scope->domains.for_each([&](std::size_t d) { least = std::min(least, sums_[d]); });
  const auto most = most_before(part, least);
  for (std::size_t d = 0; d < sums_.size(); ++d)
    if (sums_[d] > most) topology_.domains(part.scope->key).add_nodes(DomainId(d), crowded_);
}

// The same where each domain is one node: there may be thousands, most of them empty.
void TopologySpreadFilter::mark_crowded_nodes(const SpreadPart& part) {
  const auto* tally = plan_.tally(part);
  if (tally == nullptr) return;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), highest = 0;
  std::size_t holding = 0;
  const auto& scope = part.scope->nodes;
  tally->by_node().for_each([&](NodeId node, std::int64_t count) {
    if (!scope.test(node.index())) return;
    ++holding;
    least = std::min(least, count);
    highest = std::max(highest, count);
  });
  const auto most = most_before(part, holding < part.scope->domain_count ? 0 : least);
  if (highest <= most) return;
  tally->by_node().for_each([&](NodeId node, std::int64_t count) {
    if (count > most && scope.test(node.index())) crowded_.set(node.index());
  });
}

}  // namespace muster
