#pragma once

namespace muster::kai {

class Session;

// Moves running jobs together so that another one fits; nobody loses its place.
void consolidate(Session& session);

}  // namespace muster::kai
