#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

// Labels or annotations, sorted by key, keys unique.
class StringMap {
 public:
  StringMap() = default;
  explicit StringMap(std::vector<std::pair<std::string, std::string>> items);  // sorts; the last of equal keys wins

  // The value of a key, or nullptr.
  const std::string* find(std::string_view key) const;
  std::string_view get(std::string_view key) const;  // empty when absent
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void set(std::string key, std::string value);
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto operator<=>(const StringMap&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

enum class SelectorOp { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

// One requirement on labels (or, for nodes, on fields). Gt and Lt are for node selectors only.
struct Requirement {
  std::string key;
  SelectorOp op = SelectorOp::kIn;
  std::vector<std::string> values;

  auto operator<=>(const Requirement&) const = default;

  // Whether a label with this value (nullptr: absent) satisfies the requirement, as Kubernetes' labels package decides:
  // NotIn and DoesNotExist hold for an absent label; Gt and Lt compare 64-bit integers and fail on anything else. A requirement
  // that Kubernetes refuses (In and NotIn without values, Exists and DoesNotExist with some) never matches.
  bool matches(const std::string* value) const;
};

// A metav1.LabelSelector: matchLabels and matchExpressions, all of which must hold. An absent selector (no object at all) matches
// nothing; an empty one matches everything.
struct LabelSelector {
  std::vector<Requirement> requirements;  // matchLabels come first, sorted by key, as In requirements

  auto operator<=>(const LabelSelector&) const = default;
  bool matches(const StringMap& labels) const;
};

// One term of a node selector. A term with neither expressions nor fields matches nothing.
struct NodeSelectorTerm {
  std::vector<Requirement> expressions;
  std::vector<Requirement> fields;  // only metadata.name exists

  auto operator<=>(const NodeSelectorTerm&) const = default;
  bool matches(const StringMap& labels, const std::string& node_name) const;
};

// Terms are alternatives. A node selector without terms matches nothing.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  auto operator<=>(const NodeSelector&) const = default;
  bool matches(const StringMap& labels, const std::string& node_name) const;
};

}  // namespace muster
