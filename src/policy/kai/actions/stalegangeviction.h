#pragma once

namespace muster::kai {

class Session;

// Evicts what is left of gangs that have lacked pods for longer than their grace period.
void evict_stale_gangs(Session& session);

}  // namespace muster::kai
