#pragma once

#include <string_view>

namespace muster::volcano {

class Session;

// Is told how far a cycle has come. Whoever measures or reports hangs in here; the scheduler itself knows no clock.
class CycleObserver {
 public:
  virtual ~CycleObserver() = default;
  virtual void opened(Session&) {}
  virtual void acted(Session&, std::string_view /*action*/) {}
  virtual void closing(Session&) {}  // the actions are over, and nothing that they did has been taken back yet
  virtual void closed(Session&) {}

  // What comes many times in a cycle is told only to those who ask for it. Scoring may come within a search, and within scoring.
  enum class Part { kPluginOpens, kPluginCloses, kSearch, kScoring };
  virtual bool watches_parts() const { return false; }
  virtual void begins(Part) {}
  virtual void ended(Part, std::string_view /*plugin*/) {}
};

// Tells of one part, if somebody asks for it, from here to the end of the block.
class WatchedPart {
 public:
  WatchedPart(CycleObserver* observer, CycleObserver::Part part, std::string_view plugin = {})
      : observer_(observer), part_(part), plugin_(plugin) {
    if (observer_ != nullptr) observer_->begins(part_);
  }
  ~WatchedPart() {
    if (observer_ != nullptr) observer_->ended(part_, plugin_);
  }
  WatchedPart(const WatchedPart&) = delete;
  WatchedPart& operator=(const WatchedPart&) = delete;

 private:
  CycleObserver* observer_;
  CycleObserver::Part part_;
  std::string_view plugin_;
};

}  // namespace muster::volcano
