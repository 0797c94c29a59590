#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/kai_intake.h"
#include "app/kai_run.h"

namespace muster {

// What a run of KAI's dialect over files is made of.
struct KaiOfflineSetup {
  kai::Config config;
  LoadedKaiCluster loaded;
  std::optional<KaiUsageSource> usage;  // of which the cluster knows what there is for the first cycle
  std::vector<std::string> notes;
};
// The options have a time.
Result<KaiOfflineSetup> kai_offline_setup(const OfflineOptions& options, Objects objects, const Progress& progress);

}  // namespace muster
