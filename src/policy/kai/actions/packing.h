#pragma once

#include <cstddef>
#include <vector>

namespace muster::kai {

// Whether needs go into rooms one by one, both largest first, each into the first room that takes it.
inline bool packs(const std::vector<double>& needs, const std::vector<double>& rooms) {
  auto left = rooms;
  for (const auto need : needs) {
    if (need == 0) return true;
    bool placed = false;
    for (std::size_t i = 0; i < rooms.size() && rooms[i] >= need && !placed; ++i)
      if (left[i] >= need) left[i] -= need, placed = true;
    if (!placed) return false;
  }
  return true;
}

}  // namespace muster::kai
