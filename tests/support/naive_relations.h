#pragma once

// The rules about pods and other pods, worked out from nothing for every question: slow and plain, to compare the fast ones with.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/books.h"
#include "engine/filters/namespace_labels.h"
#include "engine/filters/node_affinity.h"
#include "engine/filters/tolerance.h"

namespace muster {

class NaiveRelations {
 public:
  NaiveRelations(const Books& books, const NamespaceLabels& namespaces) : books_(books), namespaces_(namespaces) {}

  void begin_cycle() {
    anti_listed_.clear();
    affinity_listed_.clear();
    each_present([&](PodId pod, NodeId node) {
      const auto* terms = terms_of(pod);
      if (terms == nullptr) return;
      if (!terms->anti_affinity.empty()) anti_listed_.insert(node);
      if (!terms->affinity.empty() || !terms->anti_affinity.empty() || !terms->preferred.empty() || !terms->anti_preferred.empty())
        affinity_listed_.insert(node);
    });
  }

  // What the affinity filter says against the node, empty for nothing.
  std::string affinity_refusal(PodId pod, NodeId node) const {
    static const PodTerms kNone;
    const auto& terms = terms_of(pod) == nullptr ? kNone : *terms_of(pod);
    Pairs wanted, avoided, refusing;
    each_present([&](PodId other, NodeId there) {
      const bool all = !terms.affinity.empty() && std::all_of(terms.affinity.begin(), terms.affinity.end(), [&](const auto& term) {
        return matches(term, pod, other, kIncoming);
      });
      if (all)
        for (const auto& term : terms.affinity) count(wanted, term.topology_key, there);
      for (const auto& term : terms.anti_affinity)
        if (matches(term, pod, other, kIncoming)) count(avoided, term.topology_key, there);
      if (terms_of(other) == nullptr || !anti_listed_.contains(there)) return;
      for (const auto& term : terms_of(other)->anti_affinity)
        if (matches(term, other, pod, kExisting)) count(refusing, term.topology_key, there);
    });
    const bool is_first = wanted.empty() && std::all_of(terms.affinity.begin(), terms.affinity.end(),
                                                        [&](const auto& term) { return matches(term, pod, pod, kIncoming); });
    for (const auto& term : terms.affinity) {
      const auto* value = books_.node(node).labels.find(term.topology_key);
      if (value == nullptr || (!is_first && !wanted.contains({term.topology_key, *value})))
        return "node(s) didn't match pod affinity rules";
    }
    for (const auto& [key, value] : books_.node(node).labels)
      if (avoided.contains({key, value})) return "node(s) didn't match pod anti-affinity rules";
    for (const auto& [key, value] : books_.node(node).labels)
      if (refusing.contains({key, value})) return "node(s) didn't satisfy existing pods anti-affinity rules";
    return {};
  }

  std::vector<std::int64_t> affinity_scores(PodId pod, const std::vector<NodeId>& nodes) const {
    static const PodTerms kNone;
    const auto& own = terms_of(pod) == nullptr ? kNone : *terms_of(pod);
    const bool prefers = !own.preferred.empty() || !own.anti_preferred.empty();
    Pairs points;
    const auto add = [&](const auto& weighted, std::int64_t sign, PodId holder, PodId about, Side side, NodeId there) {
      for (const auto& [weight, term] : weighted)
        if (matches(term, holder, about, side)) count(points, term.topology_key, there, sign * weight);
    };
    each_present([&](PodId other, NodeId there) {
      add(own.preferred, +1, pod, other, kIncoming, there);
      add(own.anti_preferred, -1, pod, other, kIncoming, there);
      if (terms_of(other) == nullptr || (!prefers && !affinity_listed_.contains(there))) return;
      add(terms_of(other)->preferred, +1, other, pod, kExisting, there);
      add(terms_of(other)->anti_preferred, -1, other, pod, kExisting, there);
    });
    std::vector<std::int64_t> scores;
    for (const auto node : nodes) {
      std::int64_t sum = 0;
      for (const auto& [key, value] : books_.node(node).labels)
        if (const auto found = points.find({key, value}); found != points.end()) sum += found->second;
      scores.push_back(sum);
    }
    const auto least = *std::min_element(scores.begin(), scores.end());
    const auto most = *std::max_element(scores.begin(), scores.end());
    for (auto& score : scores)
      score = most == least
                  ? 0
                  : static_cast<std::int64_t>(100.0 * (static_cast<double>(score - least) / static_cast<double>(most - least)));
    return scores;
  }

  // What the spread filter says against the node, empty for nothing.
  std::string spread_refusal(PodId pod, NodeId node) const {
    const auto constraints = constraints_of(pod, SpreadAction::kDoNotSchedule);
    for (const auto& constraint : constraints) {
      std::map<std::string, std::int64_t> domains;
      each_known([&](NodeId there) {
        if (!has_all_keys(constraints, there) || !included(constraint, pod, there)) return;
        domains[*books_.node(there).labels.find(constraint.topology_key)] += count_on(constraint, pod, there);
      });
      const auto* value = books_.node(node).labels.find(constraint.topology_key);
      if (value == nullptr) return "node(s) didn't match pod topology spread constraints (missing required label)";
      std::int64_t least = std::numeric_limits<std::int32_t>::max();
      for (const auto& [name, number] : domains) least = std::min(least, number);
      if (domains.size() < static_cast<std::size_t>(constraint.min_domains.value_or(1))) least = 0;
      const std::int64_t self = selector_of(constraint, pod) && selector_of(constraint, pod)->matches(labels_of(pod)) ? 1 : 0;
      const auto here = domains.contains(*value) ? domains.at(*value) : 0;
      if (here + self - least > constraint.max_skew) return "node(s) didn't match pod topology spread constraints";
    }
    return {};
  }

  std::vector<std::int64_t> spread_scores(PodId pod, const std::vector<NodeId>& nodes) const {
    const auto constraints = constraints_of(pod, SpreadAction::kScheduleAnyway);
    std::vector<std::optional<std::int64_t>> raw;
    for (const auto node : nodes) {
      if (!has_all_keys(constraints, node)) {
        raw.push_back(std::nullopt);
        continue;
      }
      double sum = 0;
      for (const auto& constraint : constraints) sum += crowding(constraint, constraints, pod, node, nodes);
      raw.push_back(static_cast<std::int64_t>(std::round(sum)));
    }
    std::int64_t most = 0, least = std::numeric_limits<std::int64_t>::max();
    for (const auto& value : raw)
      if (value) most = std::max(most, *value), least = std::min(least, *value);
    std::vector<std::int64_t> scores;
    for (const auto& value : raw) scores.push_back(!value ? 0 : most == 0 ? 100 : 100 * (most + least - *value) / most);
    return scores;
  }

 private:
  enum Side { kIncoming, kExisting };
  using Pairs = std::map<std::pair<std::string, std::string>, std::int64_t>;

  template <class F>
  void each_known(F&& f) const {
    for (const auto node : IdRange<NodeId>(books_.node_count()))
      if (books_.node(node).known) f(node);
  }
  template <class F>
  void each_present(F&& f) const {
    each_known([&](NodeId node) {
      for (const auto pod : books_.pods_present(node)) f(pod, node);
    });
  }
  const PodTerms* terms_of(PodId pod) const { return books_.pod(pod).terms ? &books_.terms(books_.pod(pod).terms) : nullptr; }
  const StringMap& labels_of(PodId pod) const { return books_.label_set(books_.pod(pod).labels).labels; }
  const std::string& ns_of(PodId pod) const { return books_.symbols().text(books_.pod(pod).ns); }

  bool matches(const PodAffinityTerm& term, PodId holder, PodId other, Side side) const {
    if (!term.selector || !term.selector->matches(labels_of(other))) return false;
    if (term.namespaces.empty() && !term.namespace_selector) return ns_of(holder) == ns_of(other);
    if (std::find(term.namespaces.begin(), term.namespaces.end(), ns_of(other)) != term.namespaces.end()) return true;
    if (!term.namespace_selector) return false;
    if (side == kIncoming && term.namespace_selector->matches(StringMap())) return true;
    return term.namespace_selector->matches(namespaces_.of(ns_of(other)));
  }
  void count(Pairs& pairs, const std::string& key, NodeId node, std::int64_t by = 1) const {
    if (const auto* value = books_.node(node).labels.find(key)) pairs[{key, *value}] += by;
  }

  std::vector<SpreadConstraint> constraints_of(PodId pod, SpreadAction action) const {
    std::vector<SpreadConstraint> constraints;
    if (terms_of(pod) != nullptr)
      for (const auto& constraint : terms_of(pod)->spread)
        if (constraint.action == action) constraints.push_back(constraint);
    return constraints;
  }
  std::optional<LabelSelector> selector_of(const SpreadConstraint& constraint, PodId pod) const {
    auto selector = constraint.selector;
    if (selector)
      for (const auto& key : constraint.match_label_keys)
        if (const auto* value = labels_of(pod).find(key)) selector->requirements.push_back({key, SelectorOp::kIn, {*value}});
    return selector;
  }
  bool has_all_keys(const std::vector<SpreadConstraint>& constraints, NodeId node) const {
    return std::all_of(constraints.begin(), constraints.end(),
                       [&](const auto& constraint) { return books_.node(node).labels.contains(constraint.topology_key); });
  }
  bool included(const SpreadConstraint& constraint, PodId pod, NodeId node) const {
    const auto& shape = books_.shape_of(pod);
    if (constraint.node_affinity == NodeInclusion::kHonor && !selects(shape, books_.node(node))) return false;
    return constraint.node_taints == NodeInclusion::kIgnore || !repelled(shape.tolerations, books_.node(node).taints);
  }
  std::int64_t count_on(const SpreadConstraint& constraint, PodId pod, NodeId node) const {
    const auto selector = selector_of(constraint, pod);
    if (!selector || selector->requirements.empty()) return 0;
    const auto& present = books_.pods_present(node);
    return std::count_if(present.begin(), present.end(), [&](PodId other) {
      return !books_.pod(other).terminating && ns_of(other) == ns_of(pod) && selector->matches(labels_of(other));
    });
  }
  double crowding(const SpreadConstraint& constraint, const std::vector<SpreadConstraint>& all, PodId pod, NodeId node,
                  const std::vector<NodeId>& candidates) const {
    const auto value = [&](NodeId of) { return *books_.node(of).labels.find(constraint.topology_key); };
    std::set<std::string> values;
    std::size_t labelled = 0;
    for (const auto candidate : candidates)
      if (has_all_keys(all, candidate)) values.insert(value(candidate)), ++labelled;
    const bool by_host = constraint.topology_key == "kubernetes.io/hostname";
    std::int64_t number = 0;
    if (by_host)
      number = count_on(constraint, pod, node);
    else
      each_known([&](NodeId there) {
        if (has_all_keys(all, there) && included(constraint, pod, there) && value(there) == value(node))
          number += count_on(constraint, pod, there);
      });
    return static_cast<double>(number) * std::log(static_cast<double>((by_host ? labelled : values.size()) + 2)) +
           (constraint.max_skew - 1);
  }

  const Books& books_;
  const NamespaceLabels& namespaces_;
  std::set<NodeId> anti_listed_, affinity_listed_;
};

}  // namespace muster
