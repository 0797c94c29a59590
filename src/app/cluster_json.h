#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/job_outlook.h"
#include "app/queue_rows.h"
#include "app/waiting_jobs.h"

namespace muster {

// A job as it stands, with the code of its reason; empty: nothing is missing.
struct JobView {
  JobOutlook job;
  std::string_view code;
};
std::vector<JobView> job_views(volcano::Session& session, const RefusedBinds& refused = nothing_refused());
std::vector<JobView> job_views(kai::Session& session, const RefusedBinds& refused = nothing_refused());

// Views of a cluster for programs: each an object with one member, an array in which things have the order of their names.
// Where it was taken down at the opening of the cycle, jobs that wait have their place in line and since when they wait.
std::string jobs_json(std::vector<JobView> jobs, const WaitingJobs& waiting = {});
std::string queues_json(const std::vector<QueueView>& queues);

}  // namespace muster
