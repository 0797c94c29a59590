#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <span>

#include "policy/kai/next_tasks.h"
#include "policy/kai/session.h"

namespace muster::kai {

// Places a job's next tasks, all of them or none: part by part, each in the best node set that takes it whole. In a simulation
// tasks only wait for room.
class JobPlacer {
 public:
  using Places = boost::unordered_flat_map<PodId, NodeId>;

  // With places a task goes to its own, or nowhere.
  JobPlacer(Session& session, Statement& statement, Mode mode, const Places* places = nullptr)
      : session_(session), statement_(statement), mode_(mode), places_(places) {}

  // What was done before it failed stays in the statement, for the caller to undo.
  bool place(Job& job, const NodeSet& nodes);

 private:
  using Tasks = std::vector<PodId>;
  bool place_part(Job& job, SubGroupId part, const Tasks& tasks, const NodeSet& nodes);
  bool place_members(Job& job, SubGroupId set, const Tasks& tasks, const NodeSet& nodes);
  bool place_tasks(Job& job, const Tasks& tasks, const NodeSet& nodes);
  bool place_task(PodId pod, const NodeSet& nodes);
  bool find_place(PodId pod, const NodeSet& nodes, FitTally& tally);
  NodeSet own_place(PodId pod, const NodeSet& nodes) const;
  bool place_on(PodId pod, NodeId node);
  bool place_shared(PodId pod, NodeId node);
  void note_failure(Job& job, PodId pod, std::size_t placed);
  void note_shortage(Job& job, const CapacityRefusal& refusal);

  Session& session_;
  Statement& statement_;
  Mode mode_;
  const Places* places_;
};

// The shared GPUs of a node that a task would get, with new ones where none is open, and whether it has to wait for them.
struct GpuChoice {
  GpuGroups groups;
  bool waits = false;
  bool opens_new = false;
};
std::optional<GpuChoice> choose_gpus(Session& session, PodId pod, NodeId node, Mode mode);

}  // namespace muster::kai
