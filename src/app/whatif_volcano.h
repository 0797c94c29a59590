#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/offline_run.h"
#include "app/whatif.h"
#include "policy/volcano/scheduler.h"

namespace muster {

// How a scheduler of Volcano's dialect is made for a copy.
struct VolcanoCopies {
  volcano::Config config;
  volcano::ClusterOptions options;  // which remember what the configuration asks for
  volcano::Behaviour behaviour;
  SearchKind search = SearchKind::kIndex;
  std::function<Timestamp(int)> time_of;  // of a cycle, from 1
  std::function<void(volcano::Cluster&)> measured = {};
  std::function<bool()> stopped = {};  // asked before each cycle: true ends a run without an answer
};
std::unique_ptr<WhatIfCluster> volcano_whatif(SharedObjects objects, VolcanoCopies copies);

// Of a cluster from files. What was assumed and what is of no use is said in notes.
Result<std::unique_ptr<WhatIfCluster>> volcano_whatif_from(OfflineOptions options, const Progress& progress,
                                                           std::vector<std::string>& notes);

}  // namespace muster
