#pragma once

#include <cstdint>
#include <string>

#include "model/selector.h"
#include "policy/kai/behaviour.h"

namespace muster::kai {

inline constexpr std::int64_t kSecond = 1'000'000'000;  // nanoseconds

// What the original takes as command-line flags, as far as it changes decisions, and whether its quirks are reproduced.
struct ClusterOptions {
  Behaviour behaviour;
  std::string scheduler_name = "kai-scheduler";
  std::string node_pool_key = "kai.scheduler/node-pool";
  std::string queue_key = "kai.scheduler/queue";
  std::string node_pool;  // the shard; empty: what carries no such label
  std::string reservation_app = "kai-resource-reservation";
  std::string scaling_app = "scaling-pod";
  std::string cpu_worker_key = "node-role.kubernetes.io/cpu-worker";
  std::string gpu_worker_key = "node-role.kubernetes.io/gpu-worker";
  std::string mig_worker_key = "node-role.kubernetes.io/mig-enabled";
  bool restrict_nodes = false;
  bool full_hierarchy = true;
  bool allow_consolidating_reclaim = true;
  bool use_signatures = true;
  bool csi_storage = false;
  bool detailed_fit_errors = false;  // what is told of pods names every node
  bool numa_requests = false;        // pods are kept with what each of their containers asks for, for the plugin `numa`
  bool group_meta = false;           // PodGroups are kept with their labels and annotations, for plugins and actions from outside
  bool whole_gpus_only = false;      // nobody reserves parts of a GPU for pods, so those that ask for one are kept back
  std::int64_t max_consolidation_preemptees = 16;  // -1: no bound, 0: no consolidation
  std::int64_t staleness_grace = 60 * kSecond;     // less than 0: never
  std::int64_t stuck_in_releasing_after = 120 * kSecond;
};

// Whether labels of a node, a queue, a PodGroup or a BindRequest say that it is of this shard.
bool in_shard(const StringMap& labels, const ClusterOptions& options);

}  // namespace muster::kai
