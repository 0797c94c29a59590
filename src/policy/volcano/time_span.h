#pragma once

#include "model/time.h"

namespace muster::volcano {

// The time that lies so many nanoseconds, which may be negative, after another.
inline Timestamp later_by(std::int64_t nanos, Timestamp time) {
  time.seconds += nanos / kNanosPerSecond;
  auto rest = time.nanos + nanos % kNanosPerSecond;
  if (rest < 0) rest += kNanosPerSecond, --time.seconds;
  if (rest >= kNanosPerSecond) rest -= kNanosPerSecond, ++time.seconds;
  time.nanos = static_cast<std::int32_t>(rest);
  return time;
}

}  // namespace muster::volcano
