#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/workloads/expansion.h"
#include "sim/workloads/submitted.h"

namespace muster::sim {

struct MadePod {
  Tree object;             // with a name
  std::string group = {};  // what a PodGroup is called that is made for it; empty: like the workload
};

// A PodGroup of Volcano that the controller of a workload makes itself. Its pods name it by grouping::kVolcanoGroupName.
struct OwnGroup {
  Tree object;
  std::string called = {};  // in the answer; empty: as it is
};

// What the controller of a workload makes of it before anything has run.
struct MadePods {
  std::vector<MadePod> pods;
  std::vector<Submitted> owners = {};  // between the workload and its pods; metadata alone where groupers read no more of them
  std::vector<OwnGroup> groups = {};
  std::vector<std::string> notes = {};
  FieldPlaces places = {};
  std::size_t text = 0;  // that was copied into the pods
};

// Whether the controller of such workloads is known here.
bool is_made_here(const grouping::ObjectKind& kind);

// Writes what is left out into the workload. Nothing: no controller of such a kind is known here.
Result<std::optional<MadePods>> made_pods(Submitted& workload, const Surroundings& surroundings);

}  // namespace muster::sim
