#pragma once

#include <cstdint>
#include <string>

#include "sim/controllers/pods.h"
#include "sim/workloads/volcano_job.h"

namespace muster::sim {

const Kind& volcano_job_kind();
const Kind& volcano_group_kind();

// What a Job does about an event, by the policies of the task, then by its own. Policies with a timeout have no effect.
struct VolcanoEvent {
  std::string name;  // "PodFailed", "PodEvicted", "TaskCompleted", "TaskFailed", "Unknown"
  std::string task = {};
  std::string pod = {};
  std::int64_t exit_code = 0;
  std::int64_t version = 0;
};
std::string volcano_action(const VolcanoJob& job, const VolcanoEvent& event);

}  // namespace muster::sim
