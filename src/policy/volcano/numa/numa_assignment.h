#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/fit.h"
#include "policy/volcano/numa/cpu_set.h"
#include "policy/volcano/numa/cpu_topology.h"

namespace muster::volcano {

// What the placing of CPUs depends on in a pod. Pods that ask alike share one.
struct NumaRequest {
  struct Container {
    std::string name;
    std::int64_t cpus = 0;  // whole ones; 0: any, or not whole
  };
  bool guaranteed = false;  // its quality of service: only such pods get CPUs of their own
  std::string policy;       // from the annotation; empty and "none": no wish
  std::vector<Container> containers;

  bool has_policy() const { return !policy.empty() && policy != "none"; }
  std::string key() const;
};
NumaRequest numa_request_of(const Pod& pod);

// A node as its Numatopology describes it.
struct NumaNode {
  CpuTopology topology;
  std::string cpu_policy;       // of the kubelet's CPU manager
  std::string topology_policy;  // of its topology manager
  bool has_cpus = false;        // says which CPUs may be used
  CpuSet allocatable;
  CpuSet reserved;  // for the system
  std::vector<Numatopology::Allocation> allocations;
};
// Nothing when it describes no machine that could be.
std::optional<NumaNode> numa_node_of(const Numatopology& topology);

// What a node makes of a pod.
struct NumaAnswer {
  FitCode code = FitCode::kSuccess;
  std::string reason;
  std::optional<CpuSet> cpus;  // that the pod would get; none where nobody looks at NUMA nodes
};
NumaAnswer assign_cpus(const NumaRequest& request, const NumaNode* node, const CpuSet& available);

// How many NUMA nodes a set of CPUs touches.
std::int64_t numa_nodes_of(const CpuSet& cpus, const CpuTopology& topology);

}  // namespace muster::volcano
