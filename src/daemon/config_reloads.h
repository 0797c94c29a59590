#pragma once

#include <functional>
#include <string>

#include "daemon/cycle_loop.h"
#include "daemon/effects.h"
#include "daemon/log.h"
#include "daemon/monitor.h"
#include "daemon/watched_config.h"
#include "kube/loop.h"

namespace muster::daemon {

// That the configuration is no good, or cannot be read any more, with these words. It is about the Lease, which every replica has.
Event event_of_bad_config(const kube::Identity& lease, const std::string& problem);

// Looks at the file of the configuration every second. A good one is put in force by the thread that decides; of one that is no
// good, or cannot be read any more, it is said and counted once, and the old one stays.
class ConfigReloads {
 public:
  struct Means {
    std::function<void(std::function<void(CycleLoop&)>)> post;  // to the thread that decides; nothing happens while there is none
    std::function<void()> make_anew;                            // everything, for what was not remembered
    std::function<void(const std::string& problem)> tell;       // people who do not read the log, from any thread
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
