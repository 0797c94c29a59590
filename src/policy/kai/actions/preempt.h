#pragma once

#include "policy/kai/actions/make_room.h"

namespace muster::kai {

// Has jobs of lower priority in the same queue leave.
void preempt(Session& session);
RoomRules preempt_rules(Session& session);

}  // namespace muster::kai
