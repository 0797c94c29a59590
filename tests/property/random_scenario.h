#pragma once

// Random clusters and what happens to them between cycles, for laws that must hold whatever is scheduled. Everything is drawn with
// RapidCheck's current generator, so these functions may only be called inside a property, and failures shrink: 0 is always the
// plainest choice.

#include <string>
#include <variant>
#include <vector>

#include "model/objects.h"
#include "policy/volcano/scheduler.h"

namespace muster {

// One of 0 … count-1, at full size from the first case on.
int pick(int count);
// True once in `of` times.
bool chance(int of);
std::string one_of(std::initializer_list<const char*> texts);

// Something that happens to the cluster between two cycles.
struct PodGoes {
  std::string pod;  // "namespace/name"; nothing happens when there is no such pod
};
struct BoundPodsRun {};
using Change = std::variant<Object, PodGoes, BoundPodsRun>;

struct Scenario {
  std::string config;  // empty: the built-in default
  volcano::ClusterOptions options;
  std::vector<Object> objects;               // in the order in which they arrive
  std::vector<std::vector<Change>> between;  // one more cycle after each
};

enum class Evictions { kPerhaps, kAlways };

struct ScenarioSize {
  int node_kinds = 5;
  int jobs = 7;
  int cycles = 4;
  Evictions evictions = Evictions::kPerhaps;  // whether some action evicts
};

// Nodes with taints, labels, images and leaving pods; jobs of several shapes, roles and priorities in several queues. Every object
// has a timestamp and a uid of its own, so that no order of arrival is needed to tell two apart.
Scenario random_scenario(const ScenarioSize& size = {});

}  // namespace muster
