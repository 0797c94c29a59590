#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "demo/dialect.h"
#include "demo/scenario.h"
#include "sim/kinds.h"
#include "sim/tree.h"

namespace muster::demo {

// An object that is to be made.
struct PlannedObject {
  const sim::Kind* kind;
  std::string ns;  // empty for those of the whole cluster
  sim::Tree tree;
};

inline constexpr std::string_view kGpu = "nvidia.com/gpu";
inline constexpr std::string_view kPoolLabel = "node.kubernetes.io/instance-type";
inline constexpr std::string_view kRackLabel = "topology.muster/rack";
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kTopologyName = "cluster";  // of KAI's Topology
inline constexpr std::string_view kUsualPriority = "train";

// The begin of every object. Namespaced ones get their namespace when they are made.
PlannedObject planned(std::string_view group, std::string_view plural, std::string_view ns, std::string_view name);

// What is there before the first job: namespaces, priority classes, nodes, queues, and the topology.
std::vector<PlannedObject> world_of(const Scenario& scenario, Dialect dialect);

}  // namespace muster::demo
