#pragma once

#include <map>
#include <string>

#include "daemon/daemon.h"
#include "daemon/outside.h"
#include "daemon/volcano_numbers.h"

namespace muster::daemon {

// How Volcano's dialect is to run.
struct VolcanoLife {
  bool exact = false;
  bool lenient = false;
  std::map<std::string, std::string> flags;  // of the original, by name
  std::shared_ptr<VolcanoNumbers> numbers = nullptr;
  Outside outside = {};
};
MakeCluster volcano_clusters(VolcanoLife life, Log& log);

}  // namespace muster::daemon
