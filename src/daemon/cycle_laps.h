#pragma once

#include <string>
#include <utility>

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
  // What came since the last part ended was somebody's looking.
  void end_looks() { outcome_.looks_micros = outcome_.looks_micros.value_or(0) + watch_.lap(); }
  // What came since the last part ended belongs to none.
  void leave_out() { watch_.lap(); }

 private:
  CycleOutcome& outcome_;
  Stopwatch watch_;
};

}  // namespace muster::daemon
