#pragma once

namespace muster::volcano {

class Session;

// Lets waiting jobs in: a Pending PodGroup becomes Inqueue if no plugin objects. One job per queue and turn.
void enqueue(Session& session);

}  // namespace muster::volcano
