#pragma once

namespace muster::kai {

class Session;

// Has jobs of lower priority in the same queue leave.
void preempt(Session& session);

}  // namespace muster::kai
