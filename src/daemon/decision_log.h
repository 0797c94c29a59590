#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "app/volcano_report.h"
#include "daemon/effects.h"

namespace muster::daemon {

// The latest binds and evictions, with their reasons: as many as there is room for. From any thread.
class DecisionLog {
 public:
  explicit DecisionLog(std::size_t most = 1000) : most_(most) {}

  void add(std::uint64_t cycle, const Timestamp& now, const Effects& effects);
  // {"decisions": […]}, the latest first.
  std::string json() const;
  // The evictions among them, the latest last.
  std::vector<Eviction> evictions() const;

 private:
  struct Entry {
    std::uint64_t cycle = 0;
    Timestamp time;
    bool is_eviction = false;
    Eviction decision;  // of a bind: its pod, job, node and rule
  };
  void push(Entry entry);

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
};

}  // namespace muster::daemon
