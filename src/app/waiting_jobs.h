#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>

#include "model/time.h"
#include "policy/kai/session.h"
#include "policy/volcano/session.h"

namespace muster {

// What there is to say of a job that waits, at the opening of a cycle.
struct Wait {
  std::uint32_t place = 0;  // among the jobs of its queue that have pods to place, from 1; 0: it is not among them
  Timestamp since;          // since when the first of its pods waits; of a job without pods, since when it exists
};

// By "namespace/name", for jobs that have pods to place or no pods at all.
using WaitingJobs = boost::unordered_flat_map<std::string, Wait>;
WaitingJobs waiting_jobs(volcano::Session& session);
WaitingJobs waiting_jobs(kai::Session& session);

}  // namespace muster
