#pragma once

#include <map>
#include <string>

#include "grouping/kai.h"
#include "grouping/volcano.h"
#include "sim/controllers/workbench.h"

namespace muster::sim {

// Puts pods of both schedulers into PodGroups, by src/grouping.
class PodGroups {
 public:
  explicit PodGroups(Workbench& bench) : bench_(bench) {}

  void observe_pod(const Object& pod);
  // A ReplicaSet or StatefulSet that wants no pods any more loses its PodGroup of Volcano.
  void observe_workload(const Kind& kind, const Object& workload);

 private:
  void group_for_volcano(const Object& pod);
  void group_for_kai(const Object& pod);
  void patch_pod(const Object& pod, const std::string& patch);
  // Tries again later, each time after twice as long, up to a minute.
  void retry(const Object& pod, const std::string& why);

  Workbench& bench_;
  grouping::VolcanoSettings volcano_;
  grouping::KaiSettings kai_;
  std::map<std::string, std::int64_t> waits_;  // seconds, by the uid of a pod that could not be grouped
};

}  // namespace muster::sim
