#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "engine/books.h"
#include "policy/volcano/cluster.h"

namespace muster::volcano {

// How many tasks of each role there are somewhere.
using RoleCounts = std::vector<std::pair<SymbolId, std::int64_t>>;

// Which roles of a job want to be near to or apart from each other, as its PodGroup's annotations say:
//
//   volcano.sh/task-topology-affinity: "ps,worker;chief"   ps and worker together, chiefs together
//   volcano.sh/task-topology-anti-affinity: "ps"           ps tasks apart from each other
//   volcano.sh/task-topology-task-order: "ps,worker"       who is placed first
class RoleRelations {
 public:
  // Nothing when the job has none of the annotations, or one that names a role twice or a role that no task has.
  static std::optional<RoleRelations> read(const Cluster& cluster, const Job& job);

  // Whether any rule but the order concerns the role.
  bool concerns(SymbolId role) const;
  // Less than 0: tasks of the left role are placed first.
  int compare(SymbolId left, SymbolId right) const;
  // Tasks among the counted ones that a task of this role wants near, less those that it wants away.
  std::int64_t attraction(SymbolId role, const RoleCounts& others) const;
  // Only what it wants away: 0 or less.
  std::int64_t aversion(SymbolId role, const RoleCounts& others) const;

 private:
  using Group = std::vector<SymbolId>;
  struct Role {
    SymbolId name;
    std::int64_t order = 0;  // higher first
    int priority = 0;
    Group near;  // may hold the role itself
    Group away;
  };
  struct Rule;

  Role& role(SymbolId name);
  const Role* find(SymbolId name) const;
  void apply(const Group& group, const Rule& rule);

  std::vector<Role> roles_;
};

// Tasks of a job that should end up on one node.
struct TaskBucket {
  std::size_t index = 0;
  std::vector<PodId> waiting;  // in the order in which they were put in
  Amounts request;             // of those; less than what they ask for, or even negative, once a task was placed twice
  std::size_t bound = 0;
  boost::unordered_flat_map<NodeId, std::int64_t, std::hash<NodeId>> bound_on;
  RoleCounts roles;  // of all tasks
  double size = 0;   // of the request, for balancing: a core, a GiB and a device weigh about the same
};

// The buckets of one job, for one cycle. Placements move tasks from waiting to bound; taking them back does not move them back, as
// in the original: such a task is still in its bucket, but nobody waits for it any more.
class TaskBuckets {
 public:
  TaskBuckets(const Cluster& cluster, const Job& job, RoleRelations relations);

  const RoleRelations& relations() const { return relations_; }
  // nullptr: no rule concerns the task.
  const TaskBucket* bucket_of(PodId pod) const;
  // The most tasks, bound or not, that a bucket has held.
  std::size_t largest() const { return largest_; }
  // The roles of tasks that this cycle has placed on the node.
  const RoleCounts* placed_on(NodeId node) const;

  // A task was placed where the books say.
  void place(const Cluster& cluster, PodId pod);

  // The role by which topology knows a task: none without the annotation, even if a label names one.
  static SymbolId role_of(const Cluster& cluster, PodId pod);

 private:
  std::vector<PodId> in_building_order(const Cluster& cluster, const Job& job) const;
  TaskBucket* best_for(SymbolId role);
  TaskBucket& add_bucket();
  void put(TaskBucket& bucket, const Books& books, PodId pod, SymbolId role);

  RoleRelations relations_;
  std::vector<TaskBucket> buckets_;
  boost::unordered_flat_map<PodId, std::size_t, std::hash<PodId>> bucket_of_;
  std::size_t largest_ = 0;
  boost::unordered_flat_map<NodeId, RoleCounts, std::hash<NodeId>> placed_;
};

}  // namespace muster::volcano
