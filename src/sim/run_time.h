#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace muster::sim {

// How long a pod runs, in seconds: the same for all where `least` is `most`, and else a range, of which each has a time of its own.
struct RunTime {
  std::int64_t least = 0;
  std::int64_t most = 0;

  bool operator==(const RunTime&) const = default;
};

// Whole seconds, "90", or with units, "90s", "1h30m". What is more than kMostAmount is that.
Result<std::int64_t> parse_seconds(std::string_view text);
// A time, or a range, "10s..2m", that begins at a second or later.
Result<RunTime> parse_run_time(std::string_view text);

// How long a pod with this uid runs when it has begun again so many times: a draw that depends on nothing else. In a range every
// factor is equally likely (log-uniform), for what runs in a cluster differs by magnitudes: of 10s..1000s, half the pods take less
// than 100 s. Drawn uniformly, nine of ten would take longer than that.
std::int64_t drawn_seconds(const RunTime& time, std::string_view uid, std::int64_t restarts, std::uint64_t seed);

}  // namespace muster::sim
