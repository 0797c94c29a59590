#pragma once

#include <string>
#include <vector>

#include "app/kai_report.h"
#include "app/offline_run.h"
#include "app/text_table.h"

namespace muster {

// What came of scheduling a cluster from files in the KAI dialect.
struct KaiRunOutcome {
  std::vector<KaiCycle> cycles;
  std::map<std::string, std::string> final_pods;
  std::vector<std::string> notes;  // what was assumed, in sentences
};

// Of the options, those that belong to Volcano have no effect.
Result<KaiRunOutcome> run_kai_files(const OfflineOptions& options);

// Pods with their status and node, and who was evicted for whom.
std::string kai_schedule_table(const KaiRunOutcome& outcome, Paint paint);

}  // namespace muster
