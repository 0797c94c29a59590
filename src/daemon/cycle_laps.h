#pragma once

#include <string>

#include "app/stopwatch.h"
#include "daemon/live_cluster.h"

namespace muster::daemon {

// Measures the parts of a cycle one after the other.
class CycleLaps {
 public:
  explicit CycleLaps(CycleOutcome& outcome) : outcome_(outcome) {}

  // This part ends here.
  void end(std::string part) {
    const auto micros = watch_.lap();
    outcome_.total_micros += micros;
    outcome_.micros.emplace_back(std::move(part), micros);
  }

 private:
  CycleOutcome& outcome_;
  Stopwatch watch_;
};

}  // namespace muster::daemon
