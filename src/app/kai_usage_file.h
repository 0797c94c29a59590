#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/kai/usage.h"

namespace muster {

// What queues used in the past, as a file says it: as parts of all there was, or by samples to be added up.
struct KaiUsageFile {
  std::optional<Timestamp> measured;  // when; none: it is always new
  kai::QueueUsage queues;
  std::vector<kai::UsagePoint> samples;  // in the order of the file
};

// Reads a usage file of the KAI dialect, YAML or JSON; a file has the one or the other:
//
//   measured: 2026-01-01T00:00:00Z                # when, without it at the time of the cycles
//   queues:
//     research: {gpu: 0.5, cpu: 0.25}             # parts of what the cluster had over the window; what is absent is 0
//
//   samples:                                      # to be added up over the window of the configuration
//   - at: 2025-12-31T23:00:00Z
//     capacity: {gpu: 8, cpu: 64, memory: 256}    # any unit, but one
//     queues:
//       research: {gpu: 4, cpu: 16, memory: 64}
//
// Unknown keys, missing ones and negative numbers are errors with line and column.
Result<KaiUsageFile> read_kai_usage(const std::string& path);
Result<KaiUsageFile> read_kai_usage_text(std::string_view text, const std::string& file);

}  // namespace muster
