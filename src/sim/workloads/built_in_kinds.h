#pragma once

#include <vector>

#include "sim/workloads/made_pods.h"

// What the controllers of Kubernetes and of Volcano make of their workloads before anything has run, by the code of the embedded
// cluster.
namespace muster::sim {

Result<MadePods> pods_of_job(Submitted& workload, const Surroundings& surroundings);
Result<MadePods> pods_of_deployment(Submitted& workload, const Surroundings& surroundings);
Result<MadePods> pods_of_replica_set(Submitted& workload, const Surroundings& surroundings);
Result<MadePods> pods_of_stateful_set(Submitted& workload, const Surroundings& surroundings);
Result<MadePods> pods_of_volcano_job(Submitted& workload, const Surroundings& surroundings);

// The pods of a batch/v1 Job that are there at once, by its spec in a part of the workload; none where there is no room for any.
Result<std::int64_t> pods_at_once(const Submitted& workload, const Tree& part, std::string_view where, std::string_view spec);
std::vector<MadePod> pods_of_one_job(const Tree& job, std::int64_t count);

}  // namespace muster::sim
