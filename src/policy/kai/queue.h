#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "engine/ids.h"
#include "model/kai_objects.h"
#include "policy/kai/quantities.h"

namespace muster::kai {

// A queue of the snapshot. Only leaves take jobs.
struct QueueInfo {
  QueueId id;
  std::string name;          // identity
  std::string display_name;  // for people
  Timestamp created;
  std::int32_t priority = 0;
  std::string parent_name;  // as written; empty: a root
  QueueId parent;           // none: a root
  std::vector<QueueId> children;
  Quantities quota, limit, weight;                                       // of the three resources, -1: no bound
  std::optional<std::int64_t> preempt_min_runtime, reclaim_min_runtime;  // nanoseconds

  bool is_leaf() const { return children.empty(); }
};

// The queues that take part, by name. One whose parent is missing is left out with all below it.
class QueueTree {
 public:
  // Without departments roots are ignored and every other queue hangs below one queue "default" without bounds.
  enum class Levels : std::uint8_t { kAll, kWithoutDepartments };
  void build(const std::list<KaiQueue>& queues, Levels levels, Timestamp now);

  const QueueInfo& operator[](QueueId id) const { return queues_[id]; }
  std::size_t size() const { return queues_.size(); }
  QueueId find(std::string_view name) const;
  std::vector<QueueId> path_to(QueueId queue) const;  // from the root down to the queue itself
  const std::vector<QueueId>& roots() const { return roots_; }

 private:
  IdVector<QueueId, QueueInfo> queues_;
  std::vector<QueueId> roots_;
  boost::unordered_flat_map<std::string, QueueId> names_;
};

}  // namespace muster::kai
