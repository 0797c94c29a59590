#pragma once

#include <cstdint>
#include <optional>

#include "sim/controllers/jobs.h"
#include "sim/controllers/lost_nodes.h"
#include "sim/controllers/pod_groups.h"
#include "sim/controllers/volcano_jobs.h"
#include "sim/controllers/workbench.h"

namespace muster::sim {

struct ControllerSettings {
  // Pods of nodes that are down are given up after so many seconds at the latest; as they tolerate it themselves when left out.
  std::optional<std::int64_t> lost_pod_seconds = {};
};

// What the controllers of a cluster do, for the kinds that schedulers see: pods of Jobs, ReplicaSets, Deployments, StatefulSets and
// Volcano Jobs, PodGroups for pods, pods of nodes that are lost, and BindRequests of KAI. They work in run() and tick(), which
// their owner calls.
class Controllers {
 public:
  Controllers(Registry& registry, Store& store, const Owners& owners, const ControllerSettings& settings = {});

  // What changed since the last call.
  void run();
  // What is due by now.
  void tick();

 private:
  void reconcile(const Kind& kind, const Key& key);

  Workbench bench_;
  Jobs jobs_;
  VolcanoJobs volcano_jobs_;
  PodGroups groups_;
  LostNodes lost_nodes_;
};

}  // namespace muster::sim
