#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grouping/object.h"
#include "sim/tree.h"
#include "sim/workloads/expansion.h"

namespace muster::sim {

// An object as somebody would submit it.
struct Submitted {
  grouping::ObjectKind kind;
  Tree object;
};

// What the controller of a workload makes of it before anything has run.
struct MadePods {
  std::vector<Tree> pods;               // with names
  std::optional<Submitted> owner = {};  // that stands between the workload and its pods: a Deployment's ReplicaSet
  std::optional<Tree> group = {};       // the PodGroup that this controller makes itself
  std::vector<std::string> notes = {};
};

// Writes what is left out into the workload. Nothing: no controller of such a kind is known here.
Result<std::optional<MadePods>> made_pods(Submitted& workload, const Surroundings& surroundings);

// "Job research/train": how messages name it.
std::string shown(const Submitted& workload);

// The class of a pod: by its name, or the one that holds for all who name none; nothing: there is no such class.
const PriorityClass* class_named(const Surroundings& surroundings, std::string_view name);
// The value of a class by its name, those of Kubernetes itself included.
std::optional<std::int64_t> priority_of_class(const Surroundings& surroundings, std::string_view name);

}  // namespace muster::sim
