#include "model/selector.h"

#include <algorithm>

#include "base/split.h"

namespace muster {
namespace {

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool label_compares(const Requirement& requirement, const std::string* value) {
  if (value == nullptr || requirement.values.size() != 1) return false;
  const auto label = parse_integer(*value);
  const auto bound = parse_integer(requirement.values.front());
  if (!label || !bound) return false;
  return requirement.op == SelectorOp::kGt ? *label > *bound : *label < *bound;
}

// Field selectors know one value and its negation only.
bool matches_field(const Requirement& requirement, const std::string& node_name) {
  if (requirement.values.size() != 1) return false;
  const std::string_view field = requirement.key == "metadata.name" ? std::string_view(node_name) : std::string_view();
  if (requirement.op == SelectorOp::kIn) return field == requirement.values.front();
  if (requirement.op == SelectorOp::kNotIn) return field != requirement.values.front();
  return false;
}

}  // namespace

StringMap::StringMap(std::vector<std::pair<std::string, std::string>> items) : items_(std::move(items)) {
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(items_.begin(), items_.end(), by_key)) std::stable_sort(items_.begin(), items_.end(), by_key);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const bool repeated = kept > 0 && items_[kept - 1].first == items_[i].first;
    if (!repeated) ++kept;
    if (kept - 1 != i) items_[kept - 1] = std::move(items_[i]);
  }
  items_.resize(kept);
}

const std::string* StringMap::find(std::string_view key) const {
  const auto found =
      std::lower_bound(items_.begin(), items_.end(), key, [](const auto& item, std::string_view k) { return item.first < k; });
  return found != items_.end() && found->first == key ? &found->second : nullptr;
}

std::string_view StringMap::get(std::string_view key) const {
  const std::string* value = find(key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

void StringMap::set(std::string key, std::string value) {
  const auto at =
      std::lower_bound(items_.begin(), items_.end(), key, [](const auto& item, const std::string& k) { return item.first < k; });
  if (at != items_.end() && at->first == key)
    at->second = std::move(value);
  else
    items_.emplace(at, std::move(key), std::move(value));
}

bool Requirement::matches(const std::string* value) const {
  switch (op) {
    case SelectorOp::kIn: return value != nullptr && contains(values, *value);
    case SelectorOp::kNotIn: return !values.empty() && (value == nullptr || !contains(values, *value));
    case SelectorOp::kExists: return values.empty() && value != nullptr;
    case SelectorOp::kDoesNotExist: return values.empty() && value == nullptr;
    case SelectorOp::kGt:
    case SelectorOp::kLt: return label_compares(*this, value);
  }
  return false;
}

bool LabelSelector::matches(const StringMap& labels) const {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const Requirement& requirement) { return requirement.matches(labels.find(requirement.key)); });
}

bool NodeSelectorTerm::matches(const StringMap& labels, const std::string& node_name) const {
  if (expressions.empty() && fields.empty()) return false;
  return std::all_of(expressions.begin(), expressions.end(), [&](const auto& r) { return r.matches(labels.find(r.key)); }) &&
         std::all_of(fields.begin(), fields.end(), [&](const auto& r) { return matches_field(r, node_name); });
}

bool NodeSelector::matches(const StringMap& labels, const std::string& node_name) const {
  return std::any_of(terms.begin(), terms.end(), [&](const auto& term) { return term.matches(labels, node_name); });
}

}  // namespace muster
