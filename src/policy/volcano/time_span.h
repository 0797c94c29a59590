#pragma once

#include "model/time.h"

namespace muster::volcano {

// The time that lies so many nanoseconds, which may be negative, after another.
inline Timestamp later_by(std::int64_t nanos, Timestamp time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  time.seconds += nanos / kSecond;
  auto rest = time.nanos + nanos % kSecond;
  if (rest < 0) rest += kSecond, --time.seconds;
  if (rest >= kSecond) rest -= kSecond, ++time.seconds;
  time.nanos = static_cast<std::int32_t>(rest);
  return time;
}

}  // namespace muster::volcano
