#pragma once

namespace muster::volcano {

class Session;

// Places pods that ask for nothing, wherever the filters let them.
void backfill(Session& session);

}  // namespace muster::volcano
