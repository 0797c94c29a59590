#include "engine/filters/matcher_index.h"

#include <algorithm>

namespace muster {
namespace {

std::string label(const std::string& key, const std::string& value) { return key + "=" + value; }

// A requirement that names the values it wants, or nullptr.
const Requirement* naming_requirement(const PodMatcher& matcher) {
  for (const auto& clause : matcher.clauses) {
    if (!clause.selector) continue;
    for (const auto& requirement : clause.selector->requirements)
      if (requirement.op == SelectorOp::kIn) return &requirement;
  }
  return nullptr;
}

}  // namespace

MatcherId MatcherIndex::intern(PodMatcher matcher) {
  const auto known = keys_.size();
  const auto id = keys_.intern(matcher.key());
  if (keys_.size() == known) return id;
  selects_namespaces_ |= matcher.selects_namespaces();
  matchers_.push_back(std::move(matcher));
  satisfying_.push_back({});
  file(id);
  catch_up();  // with the label sets that came while nobody asked
  return id;
}

void MatcherIndex::catch_up() {
  if (matchers_.empty()) return;  // nobody asks: label sets need not be filed
  if (namespaces_seen_ != namespaces_.version()) {
    namespaces_seen_ = namespaces_.version();
    if (selects_namespaces_) start_again();
  }
  while (satisfied_.size() < books_.label_set_count()) file(satisfied_.push_back({}));
}

void MatcherIndex::start_again() {
  ++restarts_;
  by_label_.clear();
  unfiled_.clear();
  satisfied_.clear();
  for (auto& list : satisfying_) list.clear();
  for (const auto id : IdRange<MatcherId>(matchers_.size())) file(id);
}

bool MatcherIndex::satisfies(LabelSetId labels, MatcherId matcher) const {
  const auto& list = satisfied_by(labels);
  return std::find(list.begin(), list.end(), matcher) != list.end();
}

void MatcherIndex::file(LabelSetId labels) {
  for (const auto& [key, value] : books_.label_set(labels).labels) {
    auto& filed = by_label_[label(key, value)];
    filed.label_sets.push_back(labels);
    for (const auto matcher : filed.matchers) try_pair(labels, matcher);
  }
  for (const auto matcher : unfiled_) try_pair(labels, matcher);
}

void MatcherIndex::file(MatcherId matcher) {
  const auto* naming = naming_requirement(matchers_[matcher]);
  if (naming == nullptr) {
    unfiled_.push_back(matcher);
    for (const auto labels : IdRange<LabelSetId>(satisfied_.size())) try_pair(labels, matcher);
    return;
  }
  for (const auto& value : naming->values) {
    auto& filed = by_label_[label(naming->key, value)];
    if (std::find(filed.matchers.begin(), filed.matchers.end(), matcher) != filed.matchers.end()) continue;  // a repeated value
    filed.matchers.push_back(matcher);
    for (const auto labels : filed.label_sets) try_pair(labels, matcher);
  }
}

void MatcherIndex::try_pair(LabelSetId labels, MatcherId matcher) {
  const auto& [ns, pairs] = books_.label_set(labels);
  if (!matchers_[matcher].matches(books_.symbols().text(ns), pairs, namespaces_)) return;
  satisfied_[labels].push_back(matcher);
  satisfying_[matcher].push_back(labels);
}

}  // namespace muster
