#pragma once

#include <chrono>

#include "model/time.h"

namespace muster {

// The time of day, for runs that are not told one.
inline Timestamp wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return Timestamp{std::chrono::duration_cast<std::chrono::seconds>(since).count(), 0};
}

}  // namespace muster
