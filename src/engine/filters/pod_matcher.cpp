#include "engine/filters/pod_matcher.h"

#include <algorithm>

namespace muster {
namespace {

void append(std::string& key, const std::string& text) { key.append(std::to_string(text.size())).append(1, ':').append(text); }

void append(std::string& key, const std::optional<LabelSelector>& selector) {
  if (!selector) return static_cast<void>(key.append(1, '-'));
  key.append(1, '{');
  for (const auto& requirement : selector->requirements) {
    append(key, requirement.key);
    key.append(std::to_string(static_cast<int>(requirement.op))).append(1, '(');
    for (const auto& value : requirement.values) append(key, value);
    key.append(1, ')');
  }
  key.append(1, '}');
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

PodClause PodClause::of(const PodAffinityTerm& term, const std::string& own_namespace, Side side) {
  PodClause clause{side, term.namespaces, term.namespace_selector, term.selector};
  if (clause.namespaces.empty() && !clause.namespace_selector) clause.namespaces.push_back(own_namespace);
  std::sort(clause.namespaces.begin(), clause.namespaces.end());
  return clause;
}

bool PodClause::matches(const std::string& ns, const StringMap& labels, const NamespaceLabels& namespaces_known) const {
  if (!selector) return false;
  const auto chosen = [&](const StringMap& ns_labels) { return namespace_selector && namespace_selector->matches(ns_labels); };
  const bool in_namespace =
      contains(namespaces, ns) || chosen(namespaces_known.of(ns)) || (side == Side::kIncoming && chosen(StringMap()));
  return in_namespace && selector->matches(labels);
}

bool PodMatcher::matches(const std::string& ns, const StringMap& labels, const NamespaceLabels& namespaces_known) const {
  return std::all_of(clauses.begin(), clauses.end(),
                     [&](const auto& clause) { return clause.matches(ns, labels, namespaces_known); });
}

bool PodMatcher::selects_namespaces() const {
  return std::any_of(clauses.begin(), clauses.end(), [](const auto& clause) { return clause.namespace_selector.has_value(); });
}

std::string PodMatcher::key() const {
  std::string key;
  for (const auto& clause : clauses) {
    key.append(1, clause.side == PodClause::Side::kIncoming && clause.namespace_selector ? 'i' : 'e');
    for (const auto& ns : clause.namespaces) append(key, ns);
    append(key, clause.namespace_selector);
    append(key, clause.selector);
  }
  return key;
}

}  // namespace muster
