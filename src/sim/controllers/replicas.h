#pragma once

#include "sim/controllers/pods.h"

namespace muster::sim {

// Keeps as many pods of a ReplicaSet as it wants.
void reconcile_replica_set(Workbench& bench, const Object& set);

// Keeps a ReplicaSet for the template of a Deployment, and moves the replicas from those of earlier templates to it.
void reconcile_deployment(Workbench& bench, const Object& deployment);

// Keeps the pods <name>-0 to <name>-<n-1> of a StatefulSet, one after the other unless it says otherwise.
void reconcile_stateful_set(Workbench& bench, const Object& set);

}  // namespace muster::sim
