#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/filters/namespace_labels.h"
#include "model/objects.h"

namespace muster {

// Pods of some namespaces with some labels.
struct PodClause {
  // Whose term it is decides how its namespace selector is read. The term of a pod that is being placed has its selector turned
  // into names first and is then asked without the other pod's namespace labels, so a selector that holds for no labels at all (one
  // that only excludes) then lets every namespace in.
  enum class Side : std::uint8_t { kIncoming, kExisting };

  Side side = Side::kExisting;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::optional<LabelSelector> selector;  // absent: no pod

  static PodClause of(const PodAffinityTerm& term, const std::string& own_namespace, Side side);
  bool matches(const std::string& ns, const StringMap& labels, const NamespaceLabels& namespaces_known) const;
};

// Pods that satisfy all clauses.
struct PodMatcher {
  std::vector<PodClause> clauses;

  bool matches(const std::string& ns, const StringMap& labels, const NamespaceLabels& namespaces_known) const;
  bool selects_namespaces() const;
  // A text that is equal exactly for equal matchers.
  std::string key() const;
};

}  // namespace muster
