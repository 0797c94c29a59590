#pragma once

#include "app/explanation.h"
#include "app/kai_run.h"

namespace muster {

// The same as explain() in the KAI dialect. The rows of queues have quotas as what is deserved, and fair shares beside them.
Result<Explanation> explain_kai(KaiOfflineRun& run, const std::string& name, const Progress& progress);

}  // namespace muster
