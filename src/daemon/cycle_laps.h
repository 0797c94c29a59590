#pragma once

#include <functional>
#include <string>
#include <string_view>
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

 private:
  CycleOutcome& outcome_;
  Stopwatch watch_;
};

// Measures a cycle of a dialect, and has what it decided taken down while its session is still there.
template <class Observer, class Session>
class EffectObserver final : public Observer {
 public:
  using TakeDown = std::function<void(Session&)>;
  EffectObserver(CycleOutcome& outcome, TakeDown take_down) : laps_(outcome), take_down_(std::move(take_down)) {}

  void opened(Session&) override { laps_.end("open"); }
  void acted(Session&, std::string_view action) override { laps_.end(std::string(action)); }
  void closed(Session& session) override {
    laps_.end("close");
    take_down_(session);
  }

 private:
  CycleLaps laps_;
  const TakeDown take_down_;
};

}  // namespace muster::daemon
