#pragma once

#include "policy/volcano/cluster.h"

namespace muster::volcano {

// Brings jobs with sub-jobs that wait for something in step with the tree: what their demands amount to, and in which domain each
// of them is. A domain that has gone, or of which the job holds nothing any more, is forgotten; where none is known although pods
// run, it is found by where they run.
void refresh_domains(Cluster& cluster);

}  // namespace muster::volcano
