#pragma once

#include <bitset>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/fit.h"
#include "engine/ids.h"
#include "policy/kai/config.h"
#include "policy/kai/fit_errors.h"
#include "policy/kai/job.h"
#include "policy/kai/node_info.h"
#include "policy/kai/numa/numa_request.h"

namespace muster::kai {

class Session;
struct Scenario;
class ScenarioGenerator;
struct SearchTask;

// The questions that a session puts to its plugins.
enum class Point {
  kQueueOrder,
  kJobOrder,
  kSubGroupOrder,
  kTaskOrder,
  kNodeOrder,
  kGpuOrder,
  kJobOverCapacity,
  kNonPreemptibleOverQuota,
  kTaskOverCapacity,
  kSubsetNodes,
  kPreJobAllocation,
  kPrePredicate,
  kVictimInvariant,
  kPredicate,
  kNumaPlacement,
  kCanReclaim,
  kReclaimVictim,
  kPreemptVictim,
  kReclaimScenario,
  kPreemptScenario,
  kJobSolutionStart,
  kScenarioGenerator,
  kEvents,
  kCount,  // not a point
};
inline constexpr std::size_t kPointCount = static_cast<std::size_t>(Point::kCount);

class Points {
 public:
  template <class... P>
  explicit Points(P... points) {
    (bits_.set(static_cast<std::size_t>(points)), ...);
  }
  bool contains(Point point) const { return bits_.test(static_cast<std::size_t>(point)); }
  void add(Point point) { bits_.set(static_cast<std::size_t>(point)); }

 private:
  std::bitset<kPointCount> bits_;
};

// Nodes among which is searched, by name.
using NodeSet = std::vector<NodeId>;

// A queue as it is compared: with the job that would come next, or with jobs that would have to go.
struct QueueSide {
  QueueId queue;
  Job* job = nullptr;
  std::vector<const Job*> victims;
};

// Why a job or a task has no place in its queue. Without words, because simulations ask all the time.
struct CapacityRefusal {
  FitReason reason;
  QueueId queue;
  Share share;  // of which there is too little
  Quantities asked;
};
// The same with them, as the queue stands.
struct CapacityNote {
  std::string message;
  std::shared_ptr<const QueueShortage> shortage;
};

// What a plugin's scores of nodes for a task rest on, and so how they may be remembered.
enum class NodeScores : std::uint8_t {
  kNone,     // adds nothing
  kNode,     // the task's request and that one node, in multiples of ten
  kPacking,  // 0 to 9, more on nodes that have less of one resource left
  kWhole,    // anything else: the whole set is scored anew
};

// A plugin lives for one cycle. It answers the points that it names, in the order of the configuration. Comparisons return less
// than, equal to or greater than 0, smaller first; the first that tells two apart decides. Filters and validators must all agree,
// scores are summed; of capacity checks, can_reclaim and could_reclaim only the first plugin is asked.
class Plugin {
 public:
  explicit Plugin(Session& session) : session_(session) {}
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  virtual Points points() const = 0;
  virtual void open() {}
  // The actions are done, and what they did still stands.
  virtual void close() {}

  // ---- orders
  virtual int compare_queues(const QueueSide&, const QueueSide&) { return 0; }
  // A job's place in the plugin's order, the smallest first.
  virtual std::int64_t job_rank(const Job&) const { return 0; }
  virtual int compare_sub_groups(const Job&, SubGroupId, SubGroupId) { return 0; }
  virtual int compare_tasks(PodId, PodId) { return 0; }

  // ---- where a task may go
  // Adds the plugin's score of each node; `nodes` is the whole set, over which scores may be related. NaN takes a node out.
  virtual void add_node_scores(PodId, std::span<const NodeId> /*nodes*/, std::span<double> /*totals*/) {}
  // What add_node_scores() would rest on; called instead of it when nothing is added.
  virtual NodeScores node_scores(PodId) { return NodeScores::kWhole; }
  // How good a shared GPU of the node is for the task, or a whole one (nullptr).
  virtual double gpu_score(PodId, NodeId, const GpuGroup*) { return 0; }
  virtual std::optional<CapacityRefusal> job_over_capacity(const Job&, std::span<const PodId>) { return std::nullopt; }
  virtual std::optional<CapacityRefusal> non_preemptible_over_quota(const Job&, std::span<const PodId>) { return std::nullopt; }
  virtual std::optional<CapacityRefusal> task_over_capacity(const Job&, PodId, NodeId) { return std::nullopt; }
  // What it has just refused.
  virtual CapacityNote tell_capacity(const Job&, const CapacityRefusal&) const { return {}; }
  // The node sets to try, best first, for tasks of a part of the job; nothing: the given set as it is. An error fails the part.
  virtual Result<std::optional<std::vector<NodeSet>>> subset_nodes(Job&, SubGroupId, std::span<const PodId>, const NodeSet&) {
    return std::optional<std::vector<NodeSet>>();
  }
  virtual void pre_job_allocation(Job&) {}
  // What makes a task impossible wherever it goes.
  virtual std::optional<std::string> pre_predicate(PodId) { return std::nullopt; }
  // The same as far as no eviction could cure it.
  virtual std::optional<std::string> victim_invariant(PodId) { return std::nullopt; }
  virtual FitStatus predicate(PodId, NodeId) { return {}; }
  // The same three as KAI's scheduler tells them: what the plugin has just answered is put into its words.
  virtual std::string tell_pre_predicate(PodId, const std::string& refusal) { return refusal; }
  virtual std::string tell_victim_invariant(PodId, const std::string& refusal) { return refusal; }
  virtual void tell_predicate(PodId, NodeId, FitStatus status, FitTally& out);
  // The NUMA zones that the node would give the task; only the first plugin is asked.
  virtual NumaPlacement numa_placement(PodId, NodeId) { return {}; }

  // ---- room that is made
  virtual bool can_reclaim(Job&) { return true; }
  virtual bool reclaim_victim(Job& /*reclaimer*/, const Job& /*victim*/) { return true; }
  // Whether the first could reclaim from the second if its queue held so much less.
  virtual bool could_reclaim(Job& /*reclaimer*/, const Job& /*victim*/, const Quantities& /*less*/) { return false; }
  virtual bool preempt_victim(Job& /*preemptor*/, const Job& /*victim*/) { return true; }
  virtual bool reclaim_scenario(const Scenario&) { return true; }
  virtual bool preempt_scenario(const Scenario&) { return true; }
  virtual void job_solution_start() {}
  // What a queue had when the latest search for room began, as KAI's scheduler tells those who have to leave.
  virtual std::string tell_shares(QueueId) const { return {}; }
  virtual std::unique_ptr<ScenarioGenerator> make_generator(const SearchTask&);

  // A task was placed or taken away, also while a statement is undone.
  virtual void on_allocate(PodId) {}
  virtual void on_deallocate(PodId) {}

 protected:
  Session& session() const { return session_; }

 private:
  Session& session_;
};

}  // namespace muster::kai
