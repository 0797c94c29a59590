#pragma once

#include <set>

#include "policy/volcano/session.h"

namespace muster::volcano {

// Pods for which no room could be made, as long as nothing has been decided since: the attempt for another one that is like them
// would end in the same way. Only where attempts leave no trace, which is not so in the behaviour of the original.
class HopelessTakers {
 public:
  // `point` is the question that the action puts to the plugins about victims, kPreemptable or kReclaimable.
  HopelessTakers(Session& session, Point point);

  // Whether the attempt can be left out. `plan` is what has been tried for the pod's job so far: nothing, or nobody can tell.
  bool contains(const Job& job, PodId pod, const Statement& plan);
  // The attempt for the pod has failed.
  void add(const Job& job, PodId pod, const Statement& plan);
  // Something was decided.
  void clear() { known_.clear(); }

 private:
  // All that an attempt rests on besides the state of the cluster.
  struct Key {
    QueueId queue;
    ClassId pod_class;
    std::int32_t job_priority = 0;
    std::int32_t pod_priority = 0;
    bool preemptable = false;
    auto operator<=>(const Key&) const = default;
  };
  bool can_tell(const Job& job, PodId pod, const Statement& plan) const;
  Key key_of(const Job& job, PodId pod);

  Session& session_;
  bool applies_;
  std::set<Key> known_;
};

}  // namespace muster::volcano
