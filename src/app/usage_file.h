#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/volcano/cluster.h"
#include "policy/volcano/config.h"

namespace muster {

// What a metrics source measured on one node.
struct MeasuredNode {
  std::string name;
  volcano::NodeUsage usage;
};

// Reads a usage file, YAML or JSON:
//
//   measured: 2026-01-01T00:00:00Z      # when; without it at the time of the cycles, `now`
//   nodes:
//     gpu-1:
//       cpu: 62.5                       # percent of the node's capacity, over every period
//       memory: {5m: 40, 10m: 41.5}     # or by period; the plugin `usage` looks at 10m
//
// A node may have a time of its own. Unknown keys, missing ones, and numbers outside of 0 to 100 are errors with line and column.
Result<std::vector<MeasuredNode>> read_usage(const std::string& path, Timestamp now);
Result<std::vector<MeasuredNode>> read_usage_text(std::string_view text, const std::string& file, Timestamp now);

// Takes measurements into a cluster. What has no effect is said in notes.
void apply_usage(volcano::Cluster& cluster, const std::vector<MeasuredNode>& measured, Timestamp now,
                 std::vector<std::string>& notes);

// Whether some plugin of a configuration looks at measurements.
bool reads_usage(const volcano::Config& config);

}  // namespace muster
