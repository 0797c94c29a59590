#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/scores/allocation.h"

namespace muster {

// How raw points of candidates become scores from 0 to 100.
enum class Better { kMore, kFewer };

// Adds weight x score, where the most points of any candidate make 100 (or 0 when fewer are better). Without any points nobody
// differs: all get 0, or 100 when fewer are better. Points are not negative.
inline void add_normalised(std::span<const std::int64_t> points, Better better, std::int64_t weight, std::span<double> totals) {
  const auto most = points.empty() ? 0 : *std::max_element(points.begin(), points.end());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto part = most == 0 ? 0 : kMaxScore * points[i] / most;
    totals[i] += static_cast<double>(weight * (better == Better::kMore ? part : kMaxScore - part));
  }
}

}  // namespace muster
