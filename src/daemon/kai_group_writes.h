#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "daemon/effects.h"
#include "kube/object_decoder.h"
#include "policy/kai/job.h"
#include "policy/kai/queue.h"

namespace muster::daemon {

inline constexpr const char* kKaiPodGroups = "scheduling.run.ai/v2alpha2";

// What is written on PodGroups: times in their annotations, and their scheduling conditions. As long as a write cannot be seen in
// the object, every older one that arrives is completed by it, so that cycles decide by what was written last.
class KaiGroupWrites {
 public:
  // The object as it will be.
  void complete(KaiPodGroup& group, bool in_shard);
  void forget(const kube::Identity& group);
  // What brings the object to what the job says, if that is not what it has or was asked for already. What was asked for half a
  // minute ago and cannot be seen is asked for again.
  void write(const kai::Job& job, const kai::QueueTree& queues, const Timestamp& now, Effects& effects);
  // What was asked for will not come.
  void on_not_written(const std::string& ns, const std::string& name);
  // Another process decides: what was asked for may never come.
  void stand_back();

 private:
  struct State {
    std::array<std::string, 3> stamps;  // in the order of the keys; empty: none
    std::vector<KaiSchedulingCondition> conditions;
  };
  struct Known {
    std::string uid;
    State shown;
    std::optional<State> asked;
    Timestamp asked_at;
  };
  static State state_of(const KaiPodGroup& group);
  static State state_of(const kai::Job& job);
  static bool same(const std::vector<KaiSchedulingCondition>& left, const std::vector<KaiSchedulingCondition>& right);
  static bool same(const State& left, const State& right);

  boost::unordered_flat_map<std::string, Known> groups_;  // by namespace/name
};

}  // namespace muster::daemon
