#pragma once

namespace muster::volcano {

class Session;

// Make room for a whole gang at once, in one topology domain: out of less important jobs of its queue, or out of other queues. Room
// is made only if the gang can then run.
void gang_preempt(Session& session);
void gang_reclaim(Session& session);

}  // namespace muster::volcano
