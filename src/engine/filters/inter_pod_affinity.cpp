#include "engine/filters/inter_pod_affinity.h"

#include <algorithm>

#include "base/assert.h"

namespace muster {

InterPodAffinityFilter::InterPodAffinityFilter(const Books& books, FitTable& fits, PodRelations& relations)
    : books_(books),
      relations_(relations),
      not_near_(fits.status(FitCode::kUnresolvable, "node(s) didn't match pod affinity rules")),
      not_away_(fits.status(FitCode::kUnschedulable, "node(s) didn't match pod anti-affinity rules")),
      unwelcome_(fits.status(FitCode::kUnschedulable, "node(s) didn't satisfy existing pods anti-affinity rules")) {}

Dependence InterPodAffinityFilter::dependence(PodId pod) const {
  return own_terms(pod).empty() && !others_mind(pod) ? Dependence::kNothing : Dependence::kOthers;
}

NodeFilter::Prepared InterPodAffinityFilter::prepare(PodId pod) {
  prepared_ = pod;
  const auto nodes = books_.node_count();
  allowed_.resize(nodes, true);
  too_near_.resize(nodes);
  refused_.resize(nodes);
  const auto& own = own_terms(pod);
  if (own.empty() && !others_mind(pod)) return {Preparation::kSkip, std::nullopt};
  const auto& topology = relations_.topology;
  if (!own.near.empty()) allow_near_wanted(pod, own);
  for (const auto& [matcher, key] : own.away_from)
    relations_.counts.of(matcher, WhichPods::kAll).mark_near(topology, key, too_near_);
  for (auto* term : relations_.holders.about(books_.pod(pod).labels).repelling)
    term->listed.mark_near(topology, term->key, refused_);
  return {};
}

FitStatus InterPodAffinityFilter::check(PodId pod, NodeId node) const {
  if (!MUSTER_EXPECT(pod == prepared_)) return {};
  if (!allowed_.test(node.index())) return not_near_;
  if (too_near_.test(node.index())) return not_away_;
  if (refused_.test(node.index())) return unwelcome_;
  return {};
}

void InterPodAffinityFilter::restrict(PodId pod, Bitset& nodes) const {
  if (!MUSTER_EXPECT(pod == prepared_)) return;
  (nodes &= allowed_).subtract(too_near_).subtract(refused_);
}

// A pod that would be the first of its kind and wants to be near its own kind may start anywhere that has the domains.
void InterPodAffinityFilter::allow_near_wanted(PodId pod, const OwnTerms& own) {
  const auto& topology = relations_.topology;
  auto& wanted = relations_.counts.of(own.wanted, WhichPods::kAll);
  const bool nobody =
      std::all_of(own.near.begin(), own.near.end(), [&](TopologyKeyId key) { return wanted.total(topology, key) == 0; });
  const bool first = nobody && relations_.matchers.satisfies(books_.pod(pod).labels, own.wanted);
  for (const auto key : own.near) {
    if (first) {
      allowed_ &= topology.domains(key).labelled;
      continue;
    }
    near_one_.resize(books_.node_count());
    wanted.mark_near(topology, key, near_one_);
    allowed_ &= near_one_;
  }
}

// Whether some pod that is there has required anti-affinity against pods with these labels.
bool InterPodAffinityFilter::others_mind(PodId pod) const {
  const auto& repelling = relations_.holders.about(books_.pod(pod).labels).repelling;
  return std::any_of(repelling.begin(), repelling.end(),
                     [&](TermHolders::Term* term) { return term->listed.total(relations_.topology, term->key) > 0; });
}

const InterPodAffinityFilter::OwnTerms& InterPodAffinityFilter::own_terms(PodId pod) const {
  static const OwnTerms kNone;
  const auto& record = books_.pod(pod);
  if (!record.terms) return kNone;
  const auto key = (std::uint64_t{record.terms.index()} << 32) | record.ns.index();
  auto found = own_.find(key);
  if (found == own_.end()) found = own_.emplace(key, resolve(books_.terms(record.terms), books_.symbols().text(record.ns))).first;
  return found->second;
}

InterPodAffinityFilter::OwnTerms InterPodAffinityFilter::resolve(const PodTerms& terms, const std::string& ns) const {
  OwnTerms own;
  PodMatcher all;
  for (const auto& term : terms.affinity) {
    all.clauses.push_back(PodClause::of(term, ns, PodClause::Side::kIncoming));
    own.near.push_back(relations_.topology.key(term.topology_key));
  }
  if (!all.clauses.empty()) own.wanted = relations_.matchers.intern(std::move(all));
  for (const auto& term : terms.anti_affinity)
    own.away_from.emplace_back(relations_.matchers.intern({{PodClause::of(term, ns, PodClause::Side::kIncoming)}}),
                               relations_.topology.key(term.topology_key));
  return own;
}

}  // namespace muster
