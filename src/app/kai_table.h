#pragma once

#include <string>
#include <vector>

#include "app/job_outlook.h"
#include "app/kai_report.h"
#include "app/text_table.h"

namespace muster {

// The result of `muster schedule` in the KAI dialect for people: a row per job, evictions, and a summary line.
std::string kai_schedule_table(const std::vector<JobOutlook>& jobs, const std::vector<KaiCycle>& cycles, Paint paint);

}  // namespace muster
