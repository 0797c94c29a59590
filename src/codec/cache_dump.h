#pragma once

#include "codec/input.h"
#include "codec/object_reader.h"

namespace muster {

// The snapshot of its cache that Volcano's scheduler writes on SIGUSR1: several JSON maps of its internal structures, one after
// another. It holds the ready nodes with their pods, the HyperNodes, and the jobs with their PodGroups and pods.
//
// It does not hold queues, priority classes, disruption budgets, quotas, namespaces or storage. A queue that a job names is made
// up (open, weight 1), a priority class is rebuilt from the priority of the jobs that name it, and the notes of the result say so.
bool is_cache_dump(const Input& input);
Result<ReadStats> read_cache_dump(const Input& input, const ObjectSink& sink);

}  // namespace muster
