#pragma once

#include <algorithm>

#include "model/time.h"

namespace muster::daemon {

// In milliseconds, with fractions: how old something is so many microseconds after `now`. Clocks differ; nothing is younger than
// new.
inline double age_in_millis(const Timestamp& created, const Timestamp& now, std::int64_t later_micros = 0) {
  constexpr double kNanosPerMilli = 1e6;
  constexpr double kMicrosPerMilli = 1e3;
  return std::max(
      0.0, static_cast<double>(nanos_between(created, now)) / kNanosPerMilli + static_cast<double>(later_micros) / kMicrosPerMilli);
}

}  // namespace muster::daemon
