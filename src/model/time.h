#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// Seconds and nanoseconds since 1970-01-01T00:00:00Z. Kubernetes timestamps have one-second resolution, micro-times more.
struct Timestamp {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;

  auto operator<=>(const Timestamp&) const = default;

  static Result<Timestamp> parse_rfc3339(std::string_view text);
  std::string rfc3339() const;
};

// From one time to another in nanoseconds, less than 0 if that comes before it; the most or the least there is where it is further.
std::int64_t nanos_between(Timestamp from, Timestamp to);

// A Go duration ("1h30m", "250ms", "-1.5s") in nanoseconds.
Result<std::int64_t> parse_go_duration(std::string_view text);

}  // namespace muster
