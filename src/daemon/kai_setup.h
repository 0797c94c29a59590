#pragma once

#include <map>
#include <string>

#include "daemon/daemon.h"
#include "daemon/kai_effects.h"
#include "daemon/kai_numbers.h"
#include "daemon/outside.h"
#include "daemon/uuid.h"

namespace muster::daemon {

// How KAI's dialect is to run.
struct KaiLife {
  bool exact = false;
  bool lenient = false;
  KaiWriting writing;
  std::map<std::string, std::string> flags;  // of the original, by name
  std::shared_ptr<KaiNumbers> numbers = nullptr;
  Outside outside = {};
};
MakeCluster kai_clusters(KaiLife life, Log& log);

// The Lease that KAI's scheduler holds: called like the scheduler, and like its shard where it has one.
std::string kai_lease_name(const std::string& scheduler_name, const std::string& node_pool);

}  // namespace muster::daemon
