#pragma once

#include <string>

#include "app/job_outlook.h"
#include "app/node_obstacles.h"

namespace muster {

// What would help a job that waits, by name and number where they are known: which taint, how much of what on which node, whose
// limit, and who holds it. Empty for a job that does not wait. Call where the outlook was taken.
std::string what_would_help(volcano::Session& session, const volcano::Job& job, const OutlookFacts& facts,
                            const JobOutlook& outlook, const NodeObstacles& obstacles);

}  // namespace muster
