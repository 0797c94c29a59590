#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cluster_files.h"
#include "app/offline_run.h"
#include "app/usage_file.h"

namespace muster {

// What a run over files is made of.
struct OfflineSetup {
  volcano::Config config;
  LoadedCluster loaded;
  std::vector<MeasuredNode> measured;  // on its nodes, which the cluster knows
  std::vector<std::string> notes;
};
// The options have a time.
Result<OfflineSetup> offline_setup(const OfflineOptions& options, Objects objects, const Progress& progress);

}  // namespace muster
