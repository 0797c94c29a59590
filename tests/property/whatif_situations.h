#pragma once

// Jobs to ask about, and clusters in which they have to wait for something. Drawn with RapidCheck's current generator: only to be
// called inside a property.

#include <vector>

#include "property/whatif_oracle.h"

namespace muster {

// The last job of a scenario as if it were new.
Submission last_job_of(std::vector<Object> objects);
// The same as it is in the scenario; one of its pods at least has no node.
Submission last_waiting_job_of(std::vector<Object> objects);

// Has the job go before all others, in one queue with them where that is Volcano's, and to any node.
void make_urgent(Submission& submission);

// Has the job ask for whole nodes, of a few that are alike, and perhaps within a quarter or a half of them, as each dialect says
// it. Perhaps others run on some nodes, or are about to leave them, and perhaps the limit of its queue is too low. Others who give
// way are of lower priority and need no more than one of their pods.
enum class Others { kStay, kGiveWay };
void crowd_whole_nodes(Submission& submission, Others others = Others::kStay);

}  // namespace muster
