#include "daemon/volcano_watch.h"

#include "daemon/requested_pods.h"

namespace muster::daemon {

void VolcanoWatch::opened(volcano::Session& session) {
  laps_.end("open");
  if (numbers_ != nullptr) numbers_->on_open(session);
  laps_.leave_out();
  if (looks_.opened(session)) laps_.end_looks();
  begin_(session);
}

void VolcanoWatch::acted(volcano::Session& session, std::string_view action) {
  laps_.end(std::string(action));
  if (looks_.acted(session)) laps_.end_looks();
}

void VolcanoWatch::closing(volcano::Session& session) {
  if (numbers_ != nullptr) numbers_->on_closing(session);
  outcome_.requested_pods = requested_pods(session.books(), session.outbox());
  laps_.leave_out();
}

void VolcanoWatch::closed(volcano::Session& session) {
  laps_.end("close");
  take_down_(session);
  if (numbers_ != nullptr) numbers_->on_closed(session, outcome_);
}

void VolcanoWatch::begins(Part part) {
  switch (part) {
    case Part::kPluginOpens:
    case Part::kPluginCloses: plugin_since_ = now(); return;
    case Part::kSearch:
      searching_ = true;
      scored_for_ = {};
      search_since_ = now();
      return;
    case Part::kScoring:
      if (scoring_++ == 0) scoring_since_ = now();
      return;
  }
}

void VolcanoWatch::ended(Part part, std::string_view plugin) {
  using PluginTurn = VolcanoNumbers::PluginTurn;
  switch (part) {
    case Part::kPluginOpens: return numbers_->on_plugin(plugin, PluginTurn::kOpen, now() - plugin_since_);
    case Part::kPluginCloses: return numbers_->on_plugin(plugin, PluginTurn::kClose, now() - plugin_since_);
    case Part::kSearch: return end_search();
    case Part::kScoring: return end_scoring();
  }
}

// What a search does besides scoring counts as predicates: it looks for the best node in one go.
void VolcanoWatch::end_search() {
  searching_ = false;
  numbers_->on_search(VolcanoNumbers::SearchStage::kPredicate, now() - search_since_ - scored_for_);
  if (scored_for_.count() != 0) numbers_->on_search(VolcanoNumbers::SearchStage::kScoring, scored_for_);
}

void VolcanoWatch::end_scoring() {
  if (--scoring_ != 0) return;
  const auto took = now() - scoring_since_;
  if (searching_)
    scored_for_ += took;
  else
    numbers_->on_search(VolcanoNumbers::SearchStage::kScoring, took);
}

}  // namespace muster::daemon
