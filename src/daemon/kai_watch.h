#pragma once

#include <functional>

#include "daemon/cycle_laps.h"
#include "daemon/kai_numbers.h"
#include "daemon/requested_pods.h"
#include "daemon/sights.h"
#include "policy/kai/cycle_observer.h"

namespace muster::daemon {

// Measures a cycle of KAI's dialect, and has what it decided taken down while its session is still there. What being looked at
// takes is not part of it.
class KaiWatch final : public kai::CycleObserver {
 public:
  using TakeDown = std::function<void(kai::Session&)>;
  using Begin = std::function<void(kai::Session&)>;  // what is decided before the first action
  KaiWatch(CycleOutcome& outcome, KaiNumbers* numbers, CycleLooks<kai::Session> looks, Begin begin, TakeDown take_down)
      : outcome_(outcome),
        laps_(outcome),
        numbers_(numbers),
        looks_(std::move(looks)),
        begin_(std::move(begin)),
        take_down_(std::move(take_down)) {}

  void opened(kai::Session& session) override {
    laps_.end("open");
    if (looks_.opened(session)) laps_.end_looks();
    begin_(session);
  }
  void acted(kai::Session& session, std::string_view action) override {
    laps_.end(std::string(action));
    if (looks_.acted(session)) laps_.end_looks();
  }
  void closed(kai::Session& session) override {
    laps_.end("close");
    outcome_.requested_pods = requested_pods(session.books(), session.outbox());
    take_down_(session);
  }
  void plugin_begins() override { plugin_watch_.lap(); }
  void plugin_ended(PluginTurn turn, std::string_view plugin) override {
    if (numbers_ != nullptr) numbers_->on_plugin(plugin, turn, plugin_watch_.lap());
  }

 private:
  CycleOutcome& outcome_;
  CycleLaps laps_;
  Stopwatch plugin_watch_;
  KaiNumbers* numbers_;  // none: nobody looks at them
  LookTiming<kai::Session> looks_;
  const Begin begin_;
  const TakeDown take_down_;
};

}  // namespace muster::daemon
