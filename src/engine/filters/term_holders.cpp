#include "engine/filters/term_holders.h"

namespace muster {
namespace {

template <class A, class B>
std::uint64_t pair_key(A a, B b) {
  return (std::uint64_t{a.index()} << 32) | b.index();
}

}  // namespace

void FrozenNodes::resize(std::size_t node_count) {
  if (node_count <= listed_.size()) return;
  Bitset larger(node_count);
  listed_.for_each([&](std::size_t n) { larger.set(n); });
  listed_ = std::move(larger);
  holding_.resize(node_count);
}

void FrozenNodes::change(NodeId node, std::int32_t by) {
  if (node.index() >= holding_.size()) holding_.resize(node.index() + 1);
  const bool held = holding_[node] > 0;
  holding_[node] += by;
  if (held != (holding_[node] > 0)) changed_.push_back(node);
}

TermHolders::TermHolders(Books& books, MatcherIndex& index, Topology& topology)
    : books_(books), index_(index), topology_(topology) {
  for (const auto node : IdRange<NodeId>(books.node_count()))
    for (const auto pod : books.pods_present(node)) on_arrive(pod, node);
  begin_cycle();
  books.observe(*this);
}

void TermHolders::begin_cycle() {
  const auto count_holders = [&](NodeId node, std::vector<TermIndex> Held::* kind) {
    for (const auto pod : books_.pods_present(node))
      if (const auto* held = held_by(pod))
        for (const auto term : held->*kind) terms_[term].listed.add(topology_, node, +1);
  };
  with_anti_.begin_cycle(books_.node_count(), [&](NodeId node) { count_holders(node, &Held::anti); });
  with_affinity_.begin_cycle(books_.node_count(), [&](NodeId node) { count_holders(node, &Held::preferred); });
}

const TermHolders::About& TermHolders::about(LabelSetId labels) {
  index_.catch_up();
  about_.repelling.clear();
  about_.weighing.clear();
  for (const auto matcher : index_.satisfied_by(labels)) {
    if (matcher.index() >= by_matcher_.size()) continue;
    for (const auto at : by_matcher_[matcher]) (terms_[at].weight == 0 ? about_.repelling : about_.weighing).push_back(&terms_[at]);
  }
  return about_;
}

void TermHolders::change(PodId pod, NodeId node, std::int32_t by) {
  const auto* held = held_by(pod);
  if (held == nullptr) return;
  for (const auto term : held->anti)
    if (with_anti_.has(node)) terms_[term].listed.add(topology_, node, by);
  for (const auto term : held->preferred) {
    terms_[term].everywhere.add(topology_, node, by);
    if (with_affinity_.has(node)) terms_[term].listed.add(topology_, node, by);
  }
  if (!held->anti.empty()) with_anti_.change(node, by);
  if (held->any_affinity) with_affinity_.change(node, by);
}

const TermHolders::Held* TermHolders::held_by(PodId pod) {
  const auto& record = books_.pod(pod);
  if (!record.terms) return nullptr;
  const auto key = pair_key(record.terms, record.ns);
  auto found = held_.find(key);
  if (found == held_.end()) found = held_.emplace(key, resolve(books_.terms(record.terms), books_.symbols().text(record.ns))).first;
  return &found->second;
}

TermHolders::Held TermHolders::resolve(const PodTerms& terms, const std::string& ns) {
  Held held;
  for (const auto& term : terms.anti_affinity) held.anti.push_back(intern(term, 0, ns));
  for (const auto& [weight, term] : terms.preferred)
    if (weight != 0) held.preferred.push_back(intern(term, weight, ns));
  for (const auto& [weight, term] : terms.anti_preferred)
    if (weight != 0) held.preferred.push_back(intern(term, -weight, ns));
  held.any_affinity =
      !terms.affinity.empty() || !terms.anti_affinity.empty() || !terms.preferred.empty() || !terms.anti_preferred.empty();
  return held;
}

TermHolders::TermIndex TermHolders::intern(const PodAffinityTerm& term, std::int32_t weight, const std::string& ns) {
  const auto matcher = index_.intern({{PodClause::of(term, ns, PodClause::Side::kExisting)}});
  const auto key = topology_.key(term.topology_key);
  auto& alike = by_matcher_and_key_[pair_key(matcher, key)];
  for (const auto at : alike)
    if (terms_[at].weight == weight) return at;
  const auto at = static_cast<TermIndex>(terms_.size());
  terms_.push_back({matcher, key, weight, {}, {}});
  alike.push_back(at);
  if (by_matcher_.size() < index_.size()) by_matcher_.resize(index_.size());
  by_matcher_[matcher].push_back(at);
  return at;
}

}  // namespace muster
