#pragma once

#include <functional>
#include <string>

#include "daemon/cycle_loop.h"
#include "daemon/log.h"
#include "daemon/monitor.h"
#include "daemon/watched_config.h"
#include "kube/loop.h"

namespace muster::daemon {

// Looks at the file of the configuration every second. A good one is put in force by the thread that decides; of one that is no
// good, or cannot be read any more, it is said and counted, and the old one stays.
class ConfigReloads {
 public:
  struct Means {
    std::function<void(std::function<void(CycleLoop&)>)> post;  // to the thread that decides; nothing happens while there is none
    std::function<void()> make_anew;                            // everything, for what was not remembered
  };
  ConfigReloads(WatchedConfig& config, Monitor& monitor, Log& log, Means means)
      : config_(config), monitor_(monitor), log_(log), means_(std::move(means)) {}

  // On the loop's thread, for as long as there is a loop. Nothing for the built-in default.
  void start(kube::Loop& loop);

 private:
  void look();
  void reconfigure(CycleLoop& cycles, const std::string& text);

  WatchedConfig& config_;
  Monitor& monitor_;
  Log& log_;
  const Means means_;
};

}  // namespace muster::daemon
