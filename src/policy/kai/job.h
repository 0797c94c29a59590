#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/ids.h"
#include "model/kai_objects.h"
#include "model/workload.h"
#include "policy/kai/quantities.h"
#include "policy/kai/sub_groups.h"

namespace muster::kai {

// Why a job could not be scheduled, as its condition says it.
enum class FitReason : std::uint8_t {
  kOverLimit,
  kNonPreemptibleOverQuota,
  kPreemptionDelayNotElapsed,
  kQueueDoesNotExist,
  kPodSchedulingErrors,
  kNotEnoughResources,  // in a topology domain, or nowhere in particular
};
std::string_view name_of(FitReason reason);

// How a queue stands to a request that it has no room for: all that is told of it, before it is put into words.
struct QueueShortage {
  QueueId queue;
  Share share;  // of which there is too little
  Quantities requested, deserved, allocated, allocated_fixed, limit;
  Quantities asked;
  bool preemptible = false;
};

struct JobFitError {
  FitReason reason;
  std::string message;
  // The same in the words of KAI's scheduler, for conditions and events: one sentence or several, and with amounts where there are
  // more of them then.
  boost::container::small_vector<std::string, 1> told = {};
  std::string detail = {};
  std::shared_ptr<const QueueShortage> queue = nullptr;
};

// A job's places in the orders of the plugins, the smallest first; beyond the last plugin 0.
using JobRanks = std::array<std::int64_t, 4>;

// What tasks of a job hold or wait for, exact: GPUs in hundredths, memory that is asked of shared devices in MiB.
struct JobSums {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t gpu_hundredths = 0;
  std::int64_t gpu_mib = 0;

  void add(const JobSums& other, std::int64_t sign);
  Quantities quantities() const;  // without what is asked by memory
};

// A PodGroup with its pods.
struct Job {
  GroupId id;
  bool is_trial = false;  // a copy with some of its pods, to try things out: nobody hears what is said of it
  std::string key;        // by which pods and PodGroups name it
  std::string ns;
  std::string name;
  std::string uid;
  JobWorkload workload;    // for people
  bool has_group = false;  // its PodGroup is there
  bool listed = false;     // and of this shard
  Timestamp created;
  std::string queue_name;
  QueueId queue;  // none: does not exist
  std::string priority_class;
  std::int32_t priority = 0;
  std::string preemptibility;  // as written
  bool preemptible = false;
  SubGroups groups;
  std::optional<std::int64_t> preemption_delay, staleness_grace;  // nanoseconds
  std::int32_t backoff = -1;
  bool mark_unschedulable = true;
  std::string node_pool;                   // its label; empty: none
  std::shared_ptr<const ObjectMeta> meta;  // where the options ask for it

  // What its annotations say, and what they will say when the cycle has closed.
  struct Stamps {
    std::optional<Timestamp> last_start, stale_since, last_eviction;
    bool operator==(const Stamps&) const = default;
  };
  Stamps written, stamps;
  bool stale = false;  // for so long that it is told
  // Tasks with a place that the original takes for gone when it looks for victims: it evicted others twice and subtracted them
  // twice.
  std::int32_t uncounted = 0;
  std::vector<KaiSchedulingCondition> conditions;

  JobSums held;       // accepted amounts of tasks that count against quotas
  JobSums waiting;    // requests of pending tasks
  JobSums requested;  // requests of tasks that count against quotas

  bool changed = false;  // one of its tasks, since the cluster was last asked which did
  // What a cycle learned.
  std::vector<JobFitError> errors;
  // The tasks to be attempted next and what they ask for, and its ranks by the plugins that order jobs, until any task changes.
  std::optional<std::vector<PodId>> next_tasks;
  std::optional<Quantities> next_request;
  mutable std::optional<JobRanks> ranks;

  const SubGroup& part(SubGroupId which) const { return groups[which]; }
  std::uint32_t count(Status status) const;
  std::uint32_t count(const StatusSet& statuses) const;
  bool has_places() const { return count(kActiveAllocated) > 0 && static_cast<std::int64_t>(count(kActiveAllocated)) != uncounted; }
  bool ready() const { return groups.ready(groups.root()); }
  // Runs with fewer pods than some PodSet needs.
  bool is_stale() const;
  // Whether pods of some PodSet have to start together.
  bool is_gang() const;
  // Whether some PodSet has more pods than its minimum.
  bool elastic() const;
  // Calls visit(PodId) for every pod that takes part.
  template <class F>
  void for_each_pod(F&& visit) const {
    for (const auto pod_set : groups.pod_sets())
      for (const auto pod : groups[pod_set].pods) visit(pod);
  }
  void forget_next() {
    next_tasks.reset();
    next_request.reset();
    ranks.reset();
  }
  void fail(FitReason reason, std::string message, std::string told) {
    errors.push_back({reason, std::move(message), {std::move(told)}});
  }
};

}  // namespace muster::kai
