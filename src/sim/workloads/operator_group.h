#pragma once

#include <cstdint>
#include <string>

#include "model/quantity.h"
#include "sim/workloads/made_pods.h"
#include "sim/workloads/pod_amounts.h"

namespace muster::sim {

// The annotation by which pods name their role in a PodGroup of Volcano.
inline constexpr std::string_view kTaskOfVolcano = "volcano.sh/task-spec";

// A PodGroup of Volcano as operators make it.
struct OperatorGroup {
  std::string name;
  std::int64_t min_member = 1;
  std::string queue = {};           // empty: the default one
  std::string priority_class = {};  // empty: none
  Tree min_resources = {};          // null: none

  // Owned by the workload, in its namespace.
  Tree object_for(const Submitted& workload) const;
};

// What the containers of a template ask for together. Operators differ in what counts for a container that has limits: they stand
// in for each request that is left out, or only where there is no request at all.
enum class LimitsCount { kForEachLeftOut, kWithoutRequests };
ResourceList container_amounts(const Tree* pod_template, LimitsCount limits);

// Whether an operator leaves the scheduler that a template names.
enum class NamesScheduler { kOverwrites, kFillsIn };
// Puts a pod into a PodGroup of Volcano, and makes it Volcano's.
void put_into_group(Tree& pod, std::string_view group, NamesScheduler names);

}  // namespace muster::sim
