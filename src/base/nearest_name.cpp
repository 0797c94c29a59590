#include "base/nearest_name.h"

#include <algorithm>
#include <vector>

namespace muster {
namespace {

// Longer texts are no mistyped names, and comparing them would cost.
constexpr std::size_t kLongestName = 128;

std::size_t edits_allowed(std::string_view typed) { return std::max<std::size_t>(1, typed.size() / 3); }

// What two texts begin and end with alike is part of no edit.
void drop_common_ends(std::string_view& one, std::string_view& other) {
  const auto begin = std::ranges::mismatch(one, other).in1 - one.begin();
  one.remove_prefix(static_cast<std::size_t>(begin));
  other.remove_prefix(static_cast<std::size_t>(begin));
  const auto end = std::mismatch(one.rbegin(), one.rend(), other.rbegin(), other.rend()).first - one.rbegin();
  one.remove_suffix(static_cast<std::size_t>(end));
  other.remove_suffix(static_cast<std::size_t>(end));
}

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

NearestName::NearestName(std::string_view typed) : typed_(typed) {
  if (!typed.empty() && typed.size() <= kLongestName) shortest_ = edits_allowed(typed) + 1;
}

void NearestName::consider(std::string_view known) {
  const auto longer = std::max(typed_.size(), known.size()) - std::min(typed_.size(), known.size());
  if (longer >= shortest_) return;
  auto typed = typed_;
  auto name = known;
  drop_common_ends(typed, name);
  const auto distance = distance_below_shortest(typed, name);
  if (distance >= shortest_) return;
  shortest_ = distance;
  found_ = known;
}

// The same table as of edit_distance, without what lies so far from its diagonal that it takes too many edits by itself. Rows only
// grow: it ends with two of which nothing can come any more.
std::size_t NearestName::distance_below_shortest(std::string_view from, std::string_view to) {
  for (auto& row : rows_) row.assign(to.size() + 1, shortest_);
  auto& [before, above, row] = rows_;
  for (std::size_t j = 0; j <= std::min(to.size(), shortest_); ++j) row[j] = j;
  std::size_t least = 0;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    const auto first = i < shortest_ ? 1 : i - shortest_ + 1;
    const auto last = std::min(to.size(), i + shortest_ - 1);
    row[first - 1] = first == 1 ? i : shortest_;
    if (last < to.size()) row[last + 1] = shortest_;
    const auto least_above = least;
    least = row[first - 1];
    for (std::size_t j = first; j <= last; ++j) {
      const bool same = from[i - 1] == to[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
      ++work_;
    }
    if (least >= shortest_ && least_above + 1 >= shortest_) return shortest_;
  }
  return row[to.size()];
}

std::string nearest_name(std::string_view typed, std::span<const std::string_view> known) {
  NearestName nearest(typed);
  for (const std::string_view name : known) nearest.consider(name);
  return nearest.found();
}

}  // namespace muster
