#pragma once

namespace muster::kai {

class Session;

// Binds jobs that fit, one chunk at a time: a gang, or one more pod of a job that has its minimum and competes again for each.
void allocate(Session& session);

}  // namespace muster::kai
