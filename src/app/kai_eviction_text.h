#pragma once

#include <map>
#include <string>

#include "policy/kai/session.h"

namespace muster {

// Why each pod was evicted that a cycle decided to evict: for whom, by which rule, and what that made possible. By pod. The cycle
// is closed, and statuses of tasks are still those at its end.
std::map<std::string, std::string> kai_eviction_texts(const kai::Session& session);

}  // namespace muster
