#pragma once

#include <string_view>

namespace muster::kai {

class Session;

// Is told how far a cycle has come. Whoever measures or reports hangs in here; the scheduler itself knows no clock.
class CycleObserver {
 public:
  virtual ~CycleObserver() = default;
  virtual void opened(Session&) {}
  virtual void acted(Session&, std::string_view /*action*/) {}
  virtual void closed(Session&) {}  // statuses of tasks are still those of the cycle

  // The part of each plugin in opening and closing.
  enum class PluginTurn { kOpen, kClose };
  virtual void plugin_begins() {}
  virtual void plugin_ended(PluginTurn, std::string_view /*plugin*/) {}
};

}  // namespace muster::kai
