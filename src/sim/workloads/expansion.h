#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "codec/unread_kinds.h"
#include "model/objects.h"

namespace muster::sim {

// Who makes the PodGroups of pods that have none: Volcano's podgroup controller, or KAI's podgrouper.
enum class Grouper { kVolcano, kKai };

// What new pods meet in a cluster.
struct Surroundings {
  Grouper grouper = Grouper::kVolcano;
  std::vector<std::string> scheduler_names = {};  // whose pods are put into PodGroups; empty: the usual one
  std::string node_pool_label = {};               // KAI's; empty: the usual one
  std::vector<PriorityClass> priority_classes = {};
};

// Where a workload says what its PodGroup and its pods say, by the paths in these: "spec.minMember" is "spec.minAvailable" of a
// Volcano Job. What holds of a path holds of those below it as well; where no place is given, a controller computes it.
using FieldPlaces = std::map<std::string, std::string>;

struct Expansion {
  std::vector<std::string> objects;           // PodGroups and pods as JSON, none of them placed
  std::set<std::string> kinds;                // what they were made of, as "batch/v1 Job"
  std::vector<std::string> notes;             // what was assumed, in sentences
  std::vector<std::string> passed_over;       // fields that the workloads do not have, in sentences
  std::map<std::string, FieldPlaces> places;  // by the PodGroups, "namespace/name"
};

// What the controllers would make of workloads if these were submitted: batch/v1 Jobs, Deployments, ReplicaSets, StatefulSets,
// Volcano Jobs and the workloads of operators (operators.h) become the pods that are there when nothing has run yet, and their
// PodGroups. Where what a cluster would call them is not known yet they are called like the workload. What is no workload is passed
// over.
//
// Errors: a workload that asks for no pods or too many, whose pods a cluster would refuse, or of a kind whose controller is not
// known here; these say what to give instead. What was passed over until then follows in lines that begin with "note: ".
Result<Expansion> expand(const std::vector<UnreadObject>& submitted, const Surroundings& surroundings);

// What is made of one question at most, so that none takes the memory or the time of a scheduler that runs: pods, and the text that
// is copied into them; the memory that the pods of one workload take until they are text; PodGroups, which are explained one by
// one; parts of one workload (groups of workers, replicated jobs, tasks); and, in KAI's dialect, its pods times the subgroups of
// their PodGroup, since each pod finds its own among them.
inline constexpr std::size_t kMostPods = 20'000;
inline constexpr std::size_t kMebibyte = 1024 * 1024;
inline constexpr std::size_t kMostText = 64 * kMebibyte;
inline constexpr std::size_t kMostMemory = 256 * kMebibyte;
inline constexpr std::size_t kMostGroups = 1'000;
inline constexpr std::size_t kMostParts = 1'000;
inline constexpr std::size_t kMostPlaces = 5'000'000;

}  // namespace muster::sim
