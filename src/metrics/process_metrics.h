#pragma once

#include <optional>
#include <string_view>

#include "metrics/registry.h"

namespace muster::metrics {

// What the system says of this process, under the names that every Prometheus client uses ("process_resident_memory_bytes", …);
// read when the text is made. The registry must outlive it.
struct ProcessMetrics {
  explicit ProcessMetrics(Registry& registry);

  Counter& cpu_seconds;
  Gauge& resident_memory_bytes;
  Gauge& virtual_memory_bytes;
  Gauge& virtual_memory_max_bytes;
  Gauge& open_fds;
  Gauge& max_fds;
  Gauge& start_time_seconds;  // since 1970

  void refresh();
};

// The part of /proc/PID/stat that matters here, in the system's units.
struct ProcessStat {
  double user_ticks = 0;
  double system_ticks = 0;
  double start_ticks = 0;  // since the machine started
  double virtual_bytes = 0;
  double resident_pages = 0;
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);

}  // namespace muster::metrics
