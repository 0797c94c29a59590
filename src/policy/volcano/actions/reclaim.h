#pragma once

namespace muster::volcano {

class Session;

// Makes room across queues, pod by pod: for jobs of queues that have less than they deserve from queues that have more.
void reclaim(Session& session);

}  // namespace muster::volcano
