#include "app/cycle_recorder.h"

namespace muster {

void CycleRecorder::opened(volcano::Session& session) {
  timing_.open = watch_.lap();
  if (!at_opening_) return;
  at_opening_(session);
  watch_.lap();
}

void CycleRecorder::acted(volcano::Session& session, std::string_view action) {
  timing_.actions.emplace_back(action, watch_.lap());
  if (timing_.actions.size() != session.config().actions.size()) return;
  reporter_.before_close(session);
  if (after_actions_) after_actions_(session);
  watch_.lap();
}

void CycleRecorder::closed(volcano::Session& session) {
  timing_.close = watch_.lap();
  timing_.work = session.work();
  reporter_.after_close(session);
  outbox_ = session.outbox();
}

}  // namespace muster
