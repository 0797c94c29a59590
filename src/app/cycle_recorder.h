#pragma once

#include <functional>

#include "app/outcome_json.h"
#include "app/stopwatch.h"
#include "app/volcano_report.h"
#include "policy/volcano/scheduler.h"

namespace muster {

// Measures the phases of a cycle and collects what it did.
class CycleRecorder final : public volcano::CycleObserver {
 public:
  using Look = std::function<void(volcano::Session&)>;

  // Looks of one's own: when the cycle has opened, and when its last action is done and nothing has been taken back yet. Their time
  // is not measured.
  void at_opening(Look look) { at_opening_ = std::move(look); }
  void after_actions(Look look) { after_actions_ = std::move(look); }

  void opened(volcano::Session& session) override;
  void acted(volcano::Session& session, std::string_view action) override;
  void closed(volcano::Session& session) override;

  const Outbox& outbox() const { return outbox_; }
  const CycleTiming& timing() const { return timing_; }
  VolcanoCycle take() { return reporter_.take(); }

 private:
  Look at_opening_;
  Look after_actions_;
  Stopwatch watch_;
  CycleTiming timing_;
  VolcanoReporter reporter_;
  Outbox outbox_;
};

}  // namespace muster
