#include "app/near_names.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "app/printable_text.h"
#include "base/nearest_name.h"

namespace muster {
namespace {

template <class Visit>
void for_each_label(const Books& books, Visit visit) {
  for (const auto node : IdRange<NodeId>(books.node_count()))
    if (books.node(node).known)
      for (const auto& [key, value] : books.node(node).labels) visit(key, value);
}

std::string nearest_in(std::string_view typed, const std::set<std::string_view>& known) {
  return nearest_name(typed, std::vector<std::string_view>(known.begin(), known.end()));
}

// Products and sizes that differ in their numbers alone are others of a kind, not misspelt.
std::string digits_of(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return c >= '0' && c <= '9'; });
  return out;
}

}  // namespace

std::vector<WantedLabel> wanted_labels(const Books& books, const PodShape& shape) {
  std::vector<WantedLabel> out;
  for (const auto& [wanted_key, wanted_value] : shape.node_selector) {
    WantedLabel wanted{wanted_key + "=" + wanted_value, 0, {}};
    std::set<std::string_view> keys, values;
    for_each_label(books, [&](const std::string& key, const std::string& value) {
      keys.insert(key);
      if (key != wanted_key) return;
      values.insert(value);
      wanted.nodes += value == wanted_value;
    });
    if (wanted.nodes == 0) wanted.near = values.empty() ? nearest_in(wanted_key, keys) : nearest_in(wanted_value, values);
    out.push_back(std::move(wanted));
  }
  return out;
}

std::string text_of(const std::vector<WantedLabel>& labels) {
  std::vector<std::string> texts;
  for (const auto& [label, nodes, near] : labels) {
    auto where = nodes == 0 ? std::string("on no node") : "on " + count_of(nodes, "node");
    if (!near.empty()) where += "; did you mean " + near + "?";
    texts.push_back(label + " (" + where + ")");
  }
  return listed(texts, kMostNamed);
}

std::string near_resource(const Books& books, std::string_view name) {
  const auto digits = digits_of(name);
  std::set<std::string_view> known;
  for (const auto& [resource, amount] : books.total_allocatable())
    if (amount > 0 && digits_of(books.resource_name(resource)) == digits) known.insert(books.resource_name(resource));
  return nearest_in(name, known);
}

}  // namespace muster
