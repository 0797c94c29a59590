#pragma once

namespace muster::kai {

class Session;

// Takes back from other queues what a queue may hold by its fair share.
void reclaim(Session& session);

}  // namespace muster::kai
