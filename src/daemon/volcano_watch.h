#pragma once

#include <chrono>
#include <functional>

#include "daemon/cycle_laps.h"
#include "daemon/sights.h"
#include "daemon/volcano_numbers.h"
#include "policy/volcano/cycle_observer.h"

namespace muster::daemon {

// Measures a cycle of Volcano's dialect, tells the metrics of it, and has what it decided taken down while its session is still
// there. What telling and being looked at take is not part of the cycle.
class VolcanoWatch final : public volcano::CycleObserver {
 public:
  using TakeDown = std::function<void(volcano::Session&)>;
  using Begin = std::function<void(volcano::Session&)>;  // what is decided before the first action
  VolcanoWatch(CycleOutcome& outcome, VolcanoNumbers* numbers, CycleLooks<volcano::Session> looks, Begin begin, TakeDown take_down)
      : outcome_(outcome),
        laps_(outcome),
        numbers_(numbers),
        looks_(std::move(looks)),
        begin_(std::move(begin)),
        take_down_(std::move(take_down)) {}

  void opened(volcano::Session& session) override;
  void acted(volcano::Session& session, std::string_view action) override;
  void closing(volcano::Session& session) override;
  void closed(volcano::Session& session) override;

  bool watches_parts() const override { return numbers_ != nullptr && numbers_->are_shown(); }
  void begins(Part part) override;
  void ended(Part part, std::string_view plugin) override;

 private:
  using Moment = std::chrono::steady_clock::time_point;
  static Moment now() { return std::chrono::steady_clock::now(); }
  void end_search();
  void end_scoring();

  CycleOutcome& outcome_;
  CycleLaps laps_;
  VolcanoNumbers* numbers_;  // none: nobody looks at them
  LookTiming<volcano::Session> looks_;
  const Begin begin_;
  const TakeDown take_down_;
  Moment plugin_since_, search_since_, scoring_since_;
  bool searching_ = false;
  int scoring_ = 0;              // how deep
  kube::Duration scored_for_{};  // within the search
};

}  // namespace muster::daemon
