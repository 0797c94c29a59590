#pragma once

#include <string>
#include <vector>

#include "app/job_outlook.h"
#include "app/text_table.h"
#include "app/volcano_report.h"

namespace muster {

// The result of `muster schedule` for people: a row per job and a summary line.
std::string schedule_table(const std::vector<JobOutlook>& jobs, const std::vector<VolcanoCycle>& cycles, Paint paint);

Tone tone_of(JobState state);

// "gpu-1 (4), gpu-2 (4)": nodes and how many pods each has.
std::string nodes_text(const std::vector<std::pair<std::string, std::size_t>>& nodes);

// "for research/train-large: a job of another queue needs the room, …"
std::string eviction_text(const Eviction& eviction);

}  // namespace muster
