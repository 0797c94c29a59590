#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

// The text with control characters and line ends replaced by '?': a name in an input can neither steer the reader's terminal nor
// break a table.
std::string printable(std::string_view text);

// "1 pod", "3 pods".
std::string count_of(std::size_t count, std::string_view thing);

// "a, b, c and 4 more": at most `shown` items are named.
template <class Items>
std::string listed(const Items& items, std::size_t shown) {
  std::string out;
  std::size_t at = 0;
  for (const auto& item : items) {
    if (at == shown) return out + " and " + std::to_string(items.size() - shown) + " more";
    out.append(at++ == 0 ? "" : ", ").append(item);
  }
  return out;
}
// How many of many are named in one sentence, and how many nodes.
inline constexpr std::size_t kMostNamed = 3;
inline constexpr std::size_t kNodesNamed = 4;

}  // namespace muster
