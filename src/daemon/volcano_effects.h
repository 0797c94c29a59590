#pragma once

#include <map>
#include <set>
#include <string>

#include "daemon/effects.h"
#include "daemon/share_names.h"
#include "policy/volcano/session.h"

namespace muster::daemon {

// The resources that each queue's status.allocated names.
using QueueAmounts = std::map<std::string, std::set<std::string>>;

// The condition of a PodGroup whose gang is not ready.
inline constexpr const char* kGangNotReady = "Unschedulable";

// The uids of PodGroups whose objects have it.
using GroupsShownNotReady = std::set<std::string>;

// What a closed session of Volcano's dialect wants done, as requests to the API server.
Effects volcano_effects(const volcano::Session& session, QueueAmounts& written, const GroupsShownNotReady& not_ready,
                        ShareNames& shares);

}  // namespace muster::daemon
