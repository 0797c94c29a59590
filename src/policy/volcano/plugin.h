#pragma once

#include <bitset>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/books.h"
#include "engine/fit.h"
#include "engine/node_filter.h"
#include "policy/volcano/config.h"
#include "policy/volcano/job.h"

namespace muster::volcano {

class Session;

// The questions that a session puts to its plugins.
enum class Point {
  kJobOrder,
  kTaskOrder,
  kQueueOrder,
  kJobValid,
  kJobReady,
  kJobPipelined,
  kJobEnqueueable,
  kJobEnqueued,
  kOverused,
  kAllocatable,
  kPrePredicate,
  kPredicate,
  kNodeOrder,
  kBatchNodeOrder,
  kJobStarving,
  kPreemptive,
  kPreemptable,
  kReclaimable,
  kGangEvictable,
  kVictimQueueOrder,
  kVictimTasks,
  kSubJobOrder,
  kSubJobReady,
  kSubJobPipelined,
  kHyperNodeOrder,
  kHyperNodeGradient,
  kCount,  // not a point
};
inline constexpr std::size_t kPointCount = static_cast<std::size_t>(Point::kCount);

class Points {
 public:
  template <class... P>
  explicit Points(P... points) {
    (bits_.set(static_cast<std::size_t>(points)), ...);
  }
  void add(Point point) { bits_.set(static_cast<std::size_t>(point)); }
  bool contains(Point point) const { return bits_.test(static_cast<std::size_t>(point)); }

 private:
  std::bitset<kPointCount> bits_;
};

// A vote: any reject decides at once; a permit decides at the end of its tier.
enum class Vote : std::int8_t { kReject = -1, kAbstain = 0, kPermit = 1 };

// What a plugin says about candidates for eviction: whom it would give up, in the order of the candidates. An abstention counts as
// if the plugin were not there; naming nobody ends the tier, and the next tier decides.
struct Ballot {
  Vote vote = Vote::kAbstain;
  std::vector<PodId> victims;
};

inline constexpr double kNoOrder = std::numeric_limits<double>::quiet_NaN();

// For whom a whole gang's room is made.
struct GangDemand {
  enum class Kind : std::uint8_t { kPreempt, kReclaim };
  Kind kind;
  GroupId job;
};

// What domains are searched for: free room for all that waits, or for the minimum alone, or room that evictions would make.
enum class Purpose : std::uint8_t { kAllocate, kAllocateMinimum, kEvict };

// Domains to try: those of the first row first, and of a row that holds any solution the best one is taken.
using Gradients = std::vector<std::vector<HyperNodeId>>;

// A plugin lives for one cycle. It answers the points that it names; the session asks it only where the configuration lets it, in
// the order of tiers and of plugins within a tier. Comparisons return less than, equal to or greater than 0, smaller first.
class Plugin {
 public:
  explicit Plugin(Session& session) : session_(session) {}
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  virtual Points points() const = 0;

  // Called in the order of the configuration; close() before statuses are computed.
  virtual void open() {}
  virtual void close() {}

  // Jobs are ordered by rank, smaller first. A job's rank changes only by what happens to that job itself.
  virtual double job_rank(const Job&) { return 0; }
  virtual int compare_tasks(PodId, PodId) { return 0; }
  virtual bool task_order_is_fixed() const { return true; }
  virtual int compare_queues(QueueId, QueueId) { return 0; }

  virtual bool job_valid(const Job&) { return true; }
  virtual bool job_ready(const Job&) { return true; }
  virtual Vote job_pipelined(const Job&) { return Vote::kAbstain; }
  virtual Vote job_enqueueable(const Job&) { return Vote::kAbstain; }
  virtual void job_enqueued(const Job&) {}
  virtual bool overused(QueueId) { return false; }
  virtual bool allocatable(QueueId, PodId) { return true; }
  // The same while evictions are only tried out.
  virtual bool simulate_allocatable(QueueId queue, PodId pod) { return allocatable(queue, pod); }

  // ---- sub-jobs and topology domains
  virtual int compare_sub_jobs(const SubJob&, const SubJob&) { return 0; }
  virtual bool sub_job_ready(const SubJob&) { return true; }
  virtual Vote sub_job_pipelined(const SubJob&) { return Vote::kAbstain; }
  // The domains within the given one that are worth trying for the job, or for one of its sub-jobs.
  virtual Gradients gradients(const Job&, HyperNodeId within, Purpose) { return {{within}}; }
  virtual Gradients gradients(const Job&, const SubJob&, HyperNodeId within, Purpose) { return {{within}}; }
  // Adds the plugin's score of each domain to its total.
  virtual void add_hyper_node_order(const SubJob&, std::span<const HyperNodeId>, std::span<double>) {}

  // ---- eviction
  // Whether the job may take room from others.
  virtual bool job_starving(const Job&) { return true; }
  // Whether the queue may take room from other queues for these pods.
  virtual bool preemptive(QueueId, std::span<const PodId>) { return true; }
  // Whom of the candidates, all on one node, the pod may push out: within its queue, or out of other queues.
  virtual Ballot preemptable(PodId, std::span<const PodId>) { return {}; }
  virtual Ballot reclaimable(PodId, std::span<const PodId>) { return {}; }
  // The same for a whole gang, over many nodes.
  virtual Ballot gang_evictable(const GangDemand&, std::span<const PodId>) { return {}; }
  // Whether it speaks for the candidates' sake, so that whom it does not give up nobody else may (see Quirk::kBypassedProtection).
  virtual bool protects() const { return false; }
  // From which of two queues a victim is taken first for a pod of a third.
  virtual int compare_victim_queues(QueueId, QueueId, QueueId /*taker*/) { return 0; }
  // Whom of the running pods to evict whoever comes after them.
  virtual std::vector<PodId> victim_tasks(std::span<const PodId>) { return {}; }
  // Whether the node would take the pod, as far as a trial of evictions looks at it.
  virtual bool simulate_predicate(PodId, NodeId) const { return true; }

  // What makes a pod impossible wherever it goes, asked before nodes are looked at.
  virtual std::optional<std::string> pre_predicate(PodId) { return std::nullopt; }
  // Whether that was asked in this cycle, as far as predicates need it.
  virtual bool is_prepared(PodId) const { return true; }
  virtual Dependence predicate_dependence(PodId) const { return Dependence::kOthers; }
  // Appends what speaks against the node; filters that depend on more than `up_to` are left out.
  virtual void predicate(PodId, NodeId, Dependence /*up_to*/, Verdict&) const {}
  // Removes nodes that the filters with dependence kOthers refuse.
  virtual void restrict_by_others(PodId pod, Bitset& nodes) const;

  virtual Dependence order_dependence(PodId) const { return Dependence::kOthers; }
  // Adds the plugin's score of each node to its total. kNoOrder stands for an error: no plugin's order counts for that node then,
  // batch orders aside.
  virtual void add_node_order(PodId, std::span<const NodeId>, std::span<double>) {}
  virtual void add_batch_order(PodId, std::span<const NodeId>, std::span<double>) {}
  // The pod cannot be scored: no node is chosen for it where there is a choice.
  virtual bool order_fails(PodId) const { return false; }
  // The same for one that learns of it only by trying: how the last add_batch_order() ended.
  virtual bool batch_order_failed() const { return false; }
  // Facts beyond the pod's shape on which answers of dependence kNode rest: pods that differ in it are not of one class.
  virtual std::uint64_t class_key(PodId) const { return 0; }

  // A pod was placed or taken away, also while a statement is undone. A refusal takes the placement back.
  virtual bool on_allocate(PodId) { return true; }
  virtual void on_deallocate(PodId) {}
  // Whether on_deallocate brings the plugin back to exactly where it was, so that what was tried and undone leaves no trace.
  virtual bool undoes_cleanly() const { return true; }
  // A pod was to be evicted and stays after all.
  virtual void on_eviction_undone(PodId pod) { on_allocate(pod); }

 protected:
  Session& session() const { return session_; }

 private:
  Session& session_;
};

}  // namespace muster::volcano
