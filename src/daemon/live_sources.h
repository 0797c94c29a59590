#pragma once

#include <functional>
#include <string>

#include "daemon/cycle_loop.h"
#include "daemon/log.h"
#include "kube/loop.h"

namespace muster::daemon {

// From what can be told what a running scheduler sees. They may be used from any thread for as long as it runs.
struct LiveSources {
  // Has something done by the thread that talks to the API server.
  std::function<void(std::function<void(kube::Loop&)>)> on_loop;
  // Has something done by the deciding thread; false: there is none at the moment.
  std::function<bool(std::function<void(CycleLoop&)>)> post;
  std::function<std::string()> config;  // the text that is in force
  Log& log;
};

}  // namespace muster::daemon
