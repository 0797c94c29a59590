#pragma once

#include <map>
#include <optional>
#include <vector>

#include "policy/kai/actions/failed_jobs.h"
#include "policy/kai/actions/make_room.h"

namespace muster::kai {

// Looks ahead: room that is made for a job in vain because a more urgent one of its queue, which waits and could not make it for
// itself, would have the job leave again as soon as it is there.
class Overtaking {
 public:
  Overtaking(Session& session, const RoomRules& rules);

  // Jobs are told in the order of their turns.
  void has_turn(Job& job);
  // False: it is no easier than one of its queue that was held back.
  bool is_worth_trying(const Job& job) const;
  // Whether somebody would take the place of the job for which the statement makes room. The statement stands before and after.
  bool is_overtaken(const Statement& plan, Job& job);
  // After that, takes the plan back and gives the room to whom it would go in the end, or holds the job back where that cannot be
  // in this cycle; false: it cannot be at all.
  bool settle(Statement& plan, Job& job);

 private:
  bool helps_itself(Job& urgent, const Job& less);
  std::optional<Statement> preempted_for(Job& urgent);
  std::vector<VictimBatch> victims_of_both() const;

  Session& session_;
  const RoomRules& rules_;
  bool looks_;
  std::map<QueueId, std::vector<Job*>> had_turn_;
  std::map<QueueId, FailedJobs> held_back_;
  Job* overtaker_ = nullptr;  // of the latest plan
  std::vector<PodId> leave_;  // for it
  std::vector<PodId> asked_;  // all that would leave or move, for both
};

}  // namespace muster::kai
