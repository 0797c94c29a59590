#pragma once

#include <string>

#include "policy/kai/session.h"

namespace muster {

// The order in which jobs that wait would get their turn in a cycle that has just opened, as if none of them took anything: over
// all queues, and within each. As KAI tells it: {"global_order": [{"id": …, "priority": …}], "queue_order": {QUEUE: […]}}, where
// the id is the PodGroup's name without its namespace.
std::string kai_job_order_json(kai::Session& session);

}  // namespace muster
