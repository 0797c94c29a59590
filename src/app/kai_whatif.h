#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/kai_run.h"
#include "app/whatif.h"

namespace muster {

// How a scheduler of KAI's dialect is made for a copy.
struct KaiCopies {
  kai::Config config;
  kai::ClusterOptions options;  // which remember what the configuration asks for
  SearchKind search = SearchKind::kIndex;
  std::function<Timestamp(int)> time_of;  // of a cycle, from 1
  kai::QueueUsage usage = {};
  std::function<bool()> stopped = {};  // asked before each cycle: true ends a run without an answer
};
std::unique_ptr<WhatIfCluster> kai_whatif(SharedObjects objects, KaiCopies copies);

// Of a cluster from files. What was assumed and what is of no use is said in notes.
Result<std::unique_ptr<WhatIfCluster>> kai_whatif_from(OfflineOptions options, const Progress& progress,
                                                       std::vector<std::string>& notes);

}  // namespace muster
