#pragma once

namespace muster::volcano {

class Session;

// Places the pods of jobs that were let in, gang by gang: a job below its minimum in one go, a ready job one pod per turn.
void allocate(Session& session);

}  // namespace muster::volcano
