#pragma once

namespace muster::kai {

class Session;
struct Job;

// Moves running jobs together so that another one fits; nobody loses its place.
void consolidate(Session& session);

// Whether the cluster has as many GPUs to spare as the job needs, wherever they are.
bool enough_gpus(Session& session, Job& job);

}  // namespace muster::kai
