#pragma once

#include <string>
#include <vector>

#include "app/job_outlook.h"
#include "app/text_table.h"
#include "app/volcano_report.h"

namespace muster {

// The result of `muster schedule` for people: a row per job and a summary line.
std::string schedule_table(const std::vector<JobOutlook>& jobs, const std::vector<VolcanoCycle>& cycles, Paint paint);

// The same for any dialect: what was done in all, and evictions in the order in which they were decided.
struct RunTotals {
  std::size_t bound = 0;
  std::size_t nodes = 0;  // that pods were bound to
  std::size_t evicted = 0;
  std::size_t cycles = 0;
};
std::string schedule_table(const std::vector<JobOutlook>& jobs, const std::vector<Eviction>& evictions, const RunTotals& totals,
                           Paint paint);

Tone tone_of(JobState state);

// "gpu-1 (4), gpu-2 (4)": nodes and how many pods each has.
std::string nodes_text(const std::vector<std::pair<std::string, std::size_t>>& nodes);

// "for research/train-large: a job of another queue needs the room, …"
std::string eviction_text(const Eviction& eviction);
// Why an action of either dialect evicts; empty for one that is not known to.
std::string_view why_evicted(std::string_view rule);

}  // namespace muster
