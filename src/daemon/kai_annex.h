#pragma once

#include <map>
#include <string>

#include "daemon/annex.h"

namespace muster::daemon {

// What plugins of KAI's scheduler serve: /get-snapshot, everything that the scheduler sees as a zip archive, listed from the API
// server for whoever asks, and /get-job-order, in which order jobs get their turn. The flags are those of the original, by name. An
// address that is empty serves nothing.
Annex kai_annex(std::string listen, std::map<std::string, std::string> flags);

}  // namespace muster::daemon
