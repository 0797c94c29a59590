#pragma once

#include <vector>

#include "policy/volcano/actions/job_attempts.h"

namespace muster::volcano {

// Gives jobs their room for which others had to go: first each where it was promised, then where nothing is promised to others,
// then anywhere. A promise ends when it is kept, and when there is no room for the job any more.
class PromiseKeeper {
 public:
  PromiseKeeper(Session& session, JobAttempts& attempts);

  // A job that waits, if something was promised to it; false: nothing was.
  bool take_in(GroupId job);
  // Jobs that have what they were promised, or cannot have it now, and wait for their turn like the others.
  std::vector<GroupId> keep();

 private:
  enum class Where : std::uint8_t { kOwnRoom, kNobodysRoom, kAnywhere };

  void keep_all(Where where);
  bool keep(Job& job, Where where);
  bool attempt(Job& job, Where where);
  void drop_kept();

  // The nodes that no job waits for.
  void count_claims();
  void withdraw_claims(GroupId job);
  void restore_claims(GroupId job);

  Session& session_;
  JobAttempts& attempts_;
  std::vector<GroupId> promised_;  // for whom the room is still to be found, best first
  std::vector<GroupId> others_;
  IdVector<NodeId, std::uint32_t> claims_;  // how many pods wait for the node
  Bitset unclaimed_;
};

}  // namespace muster::volcano
