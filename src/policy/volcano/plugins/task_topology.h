#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <memory>

#include "policy/volcano/plugin.h"
#include "policy/volcano/plugins/task_buckets.h"

namespace muster::volcano {

// Places roles of a job near to or apart from each other: tasks are put into buckets that should end up on one node each, whole
// buckets are placed one after another, and nodes score by how much of a bucket they hold and could still take.
class TaskTopology final : public Plugin {
 public:
  TaskTopology(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kTaskOrder, Point::kNodeOrder); }

  void open() override;

  int compare_tasks(PodId left, PodId right) override;
  bool task_order_is_fixed() const override { return jobs_.empty(); }
  Dependence order_dependence(PodId pod) const override;
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;

  // Placements that are taken back leave their mark until the end of the cycle.
  bool on_allocate(PodId pod) override;
  bool undoes_cleanly() const override { return false; }  // a bucket stays taken

 private:
  const TaskBuckets* buckets_of(PodId pod) const;  // nullptr: the pod's job has no topology
  const TaskBucket* bucket_of(PodId pod) const;

  double weight_;
  boost::unordered_flat_map<GroupId, std::unique_ptr<TaskBuckets>, std::hash<GroupId>> jobs_;
};

}  // namespace muster::volcano
