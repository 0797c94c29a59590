#pragma once

#include <bitset>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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
};
inline constexpr std::size_t kPointCount = static_cast<std::size_t>(Point::kBatchNodeOrder) + 1;

class Points {
 public:
  template <class... P>
  explicit Points(P... points) {
    (bits_.set(static_cast<std::size_t>(points)), ...);
  }
  bool contains(Point point) const { return bits_.test(static_cast<std::size_t>(point)); }

 private:
  std::bitset<kPointCount> bits_;
};

// A vote: any reject decides at once; a permit decides at the end of its tier.
enum class Vote : std::int8_t { kReject = -1, kAbstain = 0, kPermit = 1 };

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

  // What makes a pod impossible wherever it goes, asked before nodes are looked at.
  virtual std::optional<std::string> pre_predicate(PodId) { return std::nullopt; }
  virtual Dependence predicate_dependence(PodId) const { return Dependence::kOthers; }
  // Appends what speaks against the node; filters that depend on more than `up_to` are left out.
  virtual void predicate(PodId, NodeId, Dependence /*up_to*/, Verdict&) const {}
  // Removes nodes that the filters with dependence kOthers refuse.
  virtual void restrict_by_others(PodId pod, Bitset& nodes) const;

  virtual Dependence order_dependence(PodId) const { return Dependence::kOthers; }
  // Adds the plugin's score of each node to its total.
  virtual void add_node_order(PodId, std::span<const NodeId>, std::span<double>) {}
  virtual void add_batch_order(PodId, std::span<const NodeId>, std::span<double>) {}
  // The pod cannot be scored: no node is chosen for it where there is a choice.
  virtual bool order_fails(PodId) const { return false; }
  // Facts beyond the pod's shape on which answers of dependence kNode rest: pods that differ in it are not of one class.
  virtual std::uint64_t class_key(PodId) const { return 0; }

  // A pod was placed or taken away, also while a statement is undone. A refusal takes the placement back.
  virtual bool on_allocate(PodId) { return true; }
  virtual void on_deallocate(PodId) {}

 protected:
  Session& session() const { return session_; }

 private:
  Session& session_;
};

}  // namespace muster::volcano
