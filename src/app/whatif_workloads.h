#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/config_dialect.h"
#include "base/result.h"
#include "codec/unread_kinds.h"
#include "model/objects.h"

namespace muster {

// Who makes pods of workloads, and what new pods meet.
struct WorkloadScene {
  Dialect dialect = Dialect::kVolcano;
  std::vector<std::string> scheduler_names;
  std::string node_pool_label = {};  // KAI's
  std::vector<PriorityClass> priority_classes = {};
};

// Where a workload says what its PodGroup and its pods say, by the paths in these: "spec.minMember" is "spec.minAvailable" of a
// Volcano Job. What holds of a path holds of those below it as well; where no place is given, a controller computes it.
using FieldPlaces = std::map<std::string, std::string>;

// Objects, as JSON, that stand in a question for the workloads of some kinds, named "batch/v1 Job".
struct MadeOfWorkloads {
  std::vector<std::string> objects;
  std::set<std::string> kinds;
  std::vector<std::string> notes;
  std::vector<std::string> passed_over = {};       // fields that the workloads do not have, in sentences
  std::map<std::string, FieldPlaces> places = {};  // by the PodGroups, "namespace/name", that were made of workloads
};

// What controllers would make of the workloads among these objects: the scheduler itself reads pods and PodGroups alone.
using MakeOfWorkloads =
    std::function<Result<MadeOfWorkloads>(const std::vector<UnreadObject>& submitted, const WorkloadScene& scene)>;

}  // namespace muster
