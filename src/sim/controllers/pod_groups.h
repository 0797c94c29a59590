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
  // A pod that has gone.
  void forget(const Key& pod) { waits_.erase(pod); }

 private:
  struct Wait {
    std::string uid;
    std::int64_t seconds = 0;
  };

  void group_for_volcano(const Object& pod);
  void group_for_kai(const Object& pod);
  void patch_pod(const Object& pod, const std::string& patch);
  // Tries again later, each time after twice as long, up to a minute.
  void retry(const Object& pod, const std::string& why);

  Workbench& bench_;
  grouping::VolcanoSettings volcano_;
  grouping::KaiSettings kai_;
  std::map<Key, Wait> waits_;  // of pods that could not be grouped
};

}  // namespace muster::sim
