#pragma once

#include "sim/registry.h"

namespace muster::sim {

// Gives a pod its node; the body is a Binding. Uid and resourceVersion in it are preconditions, its annotations and labels go to
// the pod.
Answered<void> bind_pod(Registry& registry, const Key& pod, const Tree& binding, bool dry_run);

// Deletes a pod unless a disruption budget forbids it. A pod that does not run is deleted in any case.
Answered<Deleted> evict_pod(Registry& registry, const Key& pod, const Tree& eviction, DeleteOptions options);

// The Scale of a workload, and a workload whose Scale has become another one.
Tree scale_of(const Tree& workload);
Answered<Tree> with_scale(Tree workload, const Tree& scale);

}  // namespace muster::sim
