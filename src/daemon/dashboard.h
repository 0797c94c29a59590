#pragma once

#include "server/router.h"

namespace muster::daemon {

// Serves the files of the dashboard: its page at "/", every other file under its path. They hold nothing of a cluster and are open
// to everybody, or a browser could not show the form that asks for the token.
void add_dashboard_routes(server::Router& router);

}  // namespace muster::daemon
