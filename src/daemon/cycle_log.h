#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "daemon/live_cluster.h"

namespace muster::daemon {

// The latest cycles with the time that each of their phases took. From any thread.
class CycleLog {
 public:
  explicit CycleLog(std::size_t most = 500) : most_(most) {}

  void add(std::uint64_t cycle, const Timestamp& now, const CycleOutcome& outcome);
  // {"cycles": […]}, the latest first.
  std::string json() const;

 private:
  struct Entry {
    std::uint64_t cycle = 0;
    Timestamp time;
    std::int64_t total_micros = 0;
    std::vector<std::pair<std::string, std::int64_t>> micros;
    std::size_t binds = 0;
    std::size_t evictions = 0;
  };

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
};

}  // namespace muster::daemon
