#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grouping/object.h"
#include "sim/tree.h"

namespace muster::sim {

inline const grouping::ObjectKind kVolcanoJob{"batch.volcano.sh", "v1alpha1", "Job"};

// The value of a PriorityClass; nothing where there is none of this name.
using PriorityOf = std::function<std::optional<std::int64_t>(const std::string&)>;

// A task group of a Volcano Job.
struct VolcanoTask {
  const Tree* spec;
  std::string name;
  std::int64_t replicas = 0;
  std::int64_t min_available = 0;
};

// A Volcano Job as its controller reads it. Views into the tree that it is made of.
struct VolcanoJob {
  explicit VolcanoJob(const Tree& job);

  const Tree& tree;
  std::string ns;
  std::string name;
  std::string uid;
  std::string queue;
  std::int64_t min_available = 0;
  std::int64_t max_retry = 0;
  std::int64_t version = 0;
  std::vector<VolcanoTask> tasks;

  std::string group_name() const { return name + "-" + uid; }
  std::int64_t replicas() const;
  std::int64_t tasks_min_available() const;
  const VolcanoTask* task(std::string_view task_name) const;
};

// The PodGroup of a Job: its size, the sizes of its tasks, what it needs at the least, its queue and its topology.
Tree volcano_job_group(const VolcanoJob& job, const PriorityOf& priority_of);
// What of it follows the Job when that changes.
Tree updated_volcano_group(Tree group, const VolcanoJob& job, const PriorityOf& priority_of);

// The pod of a task with this index.
Tree volcano_job_pod(const VolcanoJob& job, const VolcanoTask& task, std::int64_t index);

}  // namespace muster::sim
