#include "cel/functions.h"

#include <algorithm>
#include <tuple>

namespace muster::cel {
namespace {

std::vector<Overload> sorted_table() {
  std::vector<Overload> table;
  for (auto&& part : {text_functions(), number_functions(), collection_functions()})
    table.insert(table.end(), part.begin(), part.end());
  std::stable_sort(table.begin(), table.end(),
                   [](const Overload& a, const Overload& b) { return std::tie(a.name, a.style) < std::tie(b.name, b.style); });
  return table;
}

}  // namespace

std::span<const Overload> find_functions(std::string_view name, Overload::Style style) {
  static const std::vector<Overload> kTable = sorted_table();
  const auto before = [](const Overload& overload, const auto& key) { return std::tie(overload.name, overload.style) < key; };
  const auto after = [](const auto& key, const Overload& overload) { return key < std::tie(overload.name, overload.style); };
  const auto key = std::tie(name, style);
  const auto first = std::lower_bound(kTable.begin(), kTable.end(), key, before);
  const auto last = std::upper_bound(first, kTable.end(), key, after);
  return {first, last};
}

}  // namespace muster::cel
