#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "model/time.h"

namespace muster::kube {

using Duration = std::chrono::nanoseconds;

// A moment of a clock that never goes back. Good for nothing but differences.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

// What time it is, for those who must be testable without waiting. Safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
  // The time of day as this machine believes it: for expiry dates and for what others shall read, never for measuring.
  virtual Timestamp wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant now() const override { return std::chrono::steady_clock::now(); }
  Timestamp wall() const override;
};

// "2026-01-02T03:04:05.678901Z": a MicroTime of the API has six digits, always.
std::string micro_time(const Timestamp& time);

// Numbers from 0 up to but not including 1.
using RandomSource = std::function<double()>;
RandomSource system_random();

}  // namespace muster::kube
