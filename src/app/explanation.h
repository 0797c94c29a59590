#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/job_outlook.h"
#include "app/offline_run.h"
#include "app/text_table.h"
#include "base/result.h"

namespace muster {

// One resource of a queue, in the dialect's units; what a plugin does not compute or nobody limits is absent.
struct QueueRow {
  std::string resource;
  std::optional<double> deserved;
  double allocated = 0;
  double requested = 0;
  std::optional<double> limit;
};

// One resource of what the job misses to its minimum.
struct NeedRow {
  std::string resource;
  double missing = 0;
  double free = 0;  // over all nodes, when the cycle had placed everybody
  double total = 0;
};

// Someone in the same queue, at the opening of the cycle.
struct Rival {
  std::string job;
  JobState state = JobState::kWaiting;  // what became of it
};

// Why a job is where it is: one reason, and what stands behind it.
struct Explanation {
  JobOutlook job;
  std::string pod;  // the pod that was asked for, if it was a pod
  std::vector<QueueRow> queue;
  std::vector<NeedRow> needs;
  std::vector<Rival> ahead;     // jobs that come before it in its queue
  std::size_t competitors = 0;  // open jobs of its queue, itself included; 0 when it is not among them
};

// Finds the job that a user means by "job", "namespace/job", or a pod's name, runs the cycles and explains the last one.
Result<Explanation> explain(OfflineRun& run, const std::string& name, const Progress& progress);

std::string explanation_text(const Explanation& explanation, Paint paint);
std::string explanation_json(const Explanation& explanation);

}  // namespace muster
