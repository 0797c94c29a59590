#pragma once

#include "sim/workloads/made_pods.h"

// What operators make of their workloads before anything has run, as they are documented and seen to do it; the embedded cluster
// has none of them. Of a pod only that is made which a scheduler or a grouper looks at: environment, services, secrets and the
// small init containers that wait for somebody are left out.
//
// In Volcano's dialect an operator that can make the PodGroups of Volcano itself is taken to be told so, and a note says it: that
// is how such workloads are run as gangs. Otherwise Volcano's podgroup controller groups their pods, and KAI's podgrouper in its
// dialect.
namespace muster::sim {

// The training operator: PyTorchJob, TFJob, XGBoostJob, JAXJob, PaddleJob and MPIJob of kubeflow.org/v1.
Result<MadePods> pods_of_training_job(Submitted& workload, const Surroundings& surroundings);
// The MPI operator: MPIJob of kubeflow.org/v2beta1.
Result<MadePods> pods_of_mpi_job(Submitted& workload, const Surroundings& surroundings);
// KubeRay.
Result<MadePods> pods_of_ray_cluster(Submitted& workload, const Surroundings& surroundings);
Result<MadePods> pods_of_ray_job(Submitted& workload, const Surroundings& surroundings);
Result<MadePods> pods_of_ray_service(Submitted& workload, const Surroundings& surroundings);
Result<MadePods> pods_of_job_set(Submitted& workload, const Surroundings& surroundings);
Result<MadePods> pods_of_leader_worker_set(Submitted& workload, const Surroundings& surroundings);

}  // namespace muster::sim
