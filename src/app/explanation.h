#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/eviction_outlook.h"
#include "app/explanation_subject.h"
#include "app/job_needs.h"
#include "app/job_outlook.h"
#include "app/node_obstacles.h"
#include "app/offline_run.h"
#include "app/queue_line.h"
#include "app/text_table.h"
#include "base/result.h"

namespace muster {

// One resource of a queue, in the dialect's units; what a plugin does not compute or nobody limits is absent.
struct QueueRow {
  std::string resource;
  std::optional<double> deserved;
  std::optional<double> fair_share;  // where that is more than one number
  double allocated = 0;
  double promised = 0;  // to pods that wait for others to leave
  double requested = 0;
  std::optional<double> limit;
  std::string limit_of;  // the queue above that sets it, when it is not its own
};

// A queue above the job's own.
struct QueueAbove {
  std::string name;
  std::vector<QueueRow> rows;
};

// One resource of what the job still asks for.
struct NeedRow {
  std::string resource;
  double missing = 0;
  double free = 0;  // over all nodes, when the cycle had placed everybody
  double total = 0;
};

// Someone in the same queue, at the opening of the cycle.
struct Rival {
  std::string job;
  JobState state = JobState::kWaiting;  // what became of it
};

// Why a job is where it is: one reason, and what stands behind it.
struct Explanation {
  JobOutlook job;
  std::string_view code;  // of the reason
  std::string pod;        // the pod that was asked for, if it was a pod
  std::string pod_place;  // where that is, or why it is nowhere: "is placed on n3"; empty: the job's state tells
  std::string hint;       // what would help; empty when nothing is missing
  std::optional<ClosestNode> closest;
  std::vector<QueueRow> queue;
  std::vector<QueueAbove> above;
  JobNeeds::Of needs_of = JobNeeds::Of::kMinimum;
  std::int64_t needing_pods = 0;  // 0: the needs are not those of pods
  std::vector<NeedRow> needs;
  std::vector<Eviction> evicted;        // its pods that the last cycle evicted
  std::vector<Eviction> made_way;       // others' pods that were evicted for it
  std::vector<EvictionChance> chances;  // why nobody, or nobody else, was evicted for it; empty where that would not help
  std::vector<Rival> ahead;             // jobs that come before it in its queue: the first of them, where many jobs are explained
  std::vector<std::string> messages;    // as the original would write them on the job
  std::vector<std::string> warnings;    // what went wrong in the cycles outside of any job
  bool room_is_gone = false;            // what its pods found and gave back has gone to others since
  std::size_t competitors = 0;          // jobs of its queue with pods to place, itself included; 0 when it is not among them
  std::size_t place = 0;                // its own among them, from 1
};

// Of all evictions, those that were of the job or for it.
void take_evictions(const std::vector<Eviction>& evictions, Explanation& out);

// How many of those who are ahead of a job are told of.
inline constexpr std::size_t kEverybody = std::numeric_limits<std::size_t>::max();

// Explains one job in a cycle that somebody runs, in two looks at it.
class Explainer {
 public:
  // What the explanations of one cycle have in common: names, lines and sums are found out once, when the first of them asks.
  struct Shared;
  static std::shared_ptr<Shared> shared_by_all(const volcano::Cluster& cluster, std::size_t most_ahead);

  // The job that a user means by "job", "namespace/job", or a pod's name. The first explains it alone, with everybody ahead of it.
  static Result<Explainer> find(const volcano::Cluster& cluster, const std::string& name);
  static Result<Explainer> find(const volcano::Cluster& cluster, const std::string& name, std::shared_ptr<Shared> shared);

  void at_opening(volcano::Session& session);
  // Pods of the cluster that are held back after their binds look gated to the session. For all who share there is one map of them,
  // which is there as long as the session.
  void after_actions(volcano::Session& session, const RefusedBinds& refused = nothing_refused());
  // `evictions` are those that may have been of it, or for it.
  Explanation take(const std::vector<Eviction>& evictions);

 private:
  std::shared_ptr<Shared> shared_;
  Subject subject_;
  const QueueLine* line_ = nullptr;  // of what is shared
  Explanation out_;
};

// Finds the job that a user means by "job", "namespace/job", or a pod's name, runs the cycles and explains how it stands when the
// last action of the last cycle is done.
Result<Explanation> explain(OfflineRun& run, const std::string& name, const Progress& progress);

std::string explanation_text(const Explanation& explanation, Paint paint);
// "What would help: …", as a line of its own; empty without a hint.
std::string hint_line(const std::string& hint);
std::string explanation_json(const Explanation& explanation);

}  // namespace muster
