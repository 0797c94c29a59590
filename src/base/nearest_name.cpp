#include "base/nearest_name.h"

#include <algorithm>
#include <vector>

namespace muster {
namespace {

// Longer texts are no mistyped names, and comparing them would cost.
constexpr std::size_t kLongestName = 128;

std::size_t edits_allowed(std::string_view typed) { return std::max<std::size_t>(1, typed.size() / 3); }

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Three rows of the usual table: a swap of neighbours looks two rows back.
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> above(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const bool same = from[i - 1] == to[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[to.size()];
}

std::string nearest_name(std::string_view typed, std::span<const std::string_view> known) {
  if (typed.empty() || typed.size() > kLongestName) return {};
  std::string_view nearest;
  std::size_t shortest = edits_allowed(typed) + 1;
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(typed, name);
    if (distance >= shortest) continue;
    shortest = distance;
    nearest = name;
  }
  return std::string(nearest);
}

}  // namespace muster
