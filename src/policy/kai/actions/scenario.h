#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "policy/kai/job.h"
#include "policy/kai/plugin.h"

namespace muster::kai {

// Tasks of one job that leave together.
struct VictimBatch {
  GroupId job;
  std::vector<PodId> tasks;
};

// One way to make room: who is to get it, and who would have to go. Victims that smaller searches found are recorded and always
// part of it; the others are an attempt.
struct Scenario {
  Job* preemptor = nullptr;    // with the tasks that are to be placed
  std::vector<PodId> pending;  // these
  std::vector<VictimBatch> recorded;
  std::vector<VictimBatch> potential;

  // All of them, by job in the order of first appearance.
  std::vector<VictimBatch> victims() const;
};

class SlotOdds;

// The queues whose jobs can have to leave: whole lists of jobs need not be asked about one by one.
enum class VictimQueues : std::uint8_t { kAll, kOwn, kOthers };

// What a search for scenarios is about.
struct SearchTask {
  Job* preemptor = nullptr;
  std::vector<PodId> pending;
  const std::vector<VictimBatch>* recorded = nullptr;
  const NodeSet* feasible = nullptr;  // nodes with room, by name
  const SlotOdds* odds = nullptr;     // scenarios that surely fail need not be handed out
  std::function<bool(const Job&)> is_victim;
  VictimQueues queues = VictimQueues::kAll;
  bool counts_victims = false;  // is_victim counts those it lets through, so it is asked about all jobs, in their order
};

// Hands out scenarios, best first, until there are no more.
class ScenarioGenerator {
 public:
  virtual ~ScenarioGenerator() = default;
  // nullptr: there are no more. Good until the next call.
  virtual const Scenario* next() = 0;
};

}  // namespace muster::kai
