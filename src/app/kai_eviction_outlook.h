#pragma once

#include <vector>

#include "app/eviction_outlook.h"
#include "policy/kai/session.h"

namespace muster {

// The same as eviction_chances() in the KAI dialect: one for each action of the configuration that makes room, in their order.
std::vector<EvictionChance> kai_eviction_chances(kai::Session& session, kai::Job& job);

}  // namespace muster
