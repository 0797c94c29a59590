#pragma once

#include <functional>
#include <string>

#include "daemon/live_sources.h"
#include "server/router.h"

namespace muster::daemon {

// What a dialect serves besides, on an address of its own.
struct Annex {
  std::string listen = {};  // empty: nothing is served
  std::function<void(server::Router&, LiveSources)> add_routes = {};
};

}  // namespace muster::daemon
