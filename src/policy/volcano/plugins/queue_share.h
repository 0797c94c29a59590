#pragma once

#include <optional>
#include <vector>

#include "policy/volcano/cluster.h"

namespace muster::volcano {

// What a queue holds, asks for and may have during a cycle: the arithmetic that queue plugins have in common. It starts from sums
// that the cluster keeps, so that opening a cycle costs nothing per job or pod, and follows placements by hold() and release().
struct QueueShare {
  bool takes_part = false;
  double share = 0;  // the largest part of what it deserves that it holds of any resource
  Resource deserved;
  Resource allocated;
  Resource request;
  Resource inqueue;  // promised to jobs that were let in
  Resource elastic;  // held beyond the jobs' minimum
  Resource guarantee;
  Resource real_capability;  // what it may hold at most

  void start_from(const QueueInfo& queue);
  // Counts a child's sums for its parent, too.
  void add_sums_of(const QueueShare& child);
  void update_share();

  void hold(const Amounts& amounts);
  void release(const Amounts& amounts);

  // Whether a job of this minimum may be let in, and if not, the dimensions in which it would take the queue beyond its limit.
  bool admits(const Resource& minimum) const;
  std::vector<ResourceId> exceeded_by(const Resource& minimum, const Books& books) const;
};

// What queues would hold if pods that were named victims left.
class HoldingsAfter {
 public:
  explicit HoldingsAfter(const IdVector<QueueId, QueueShare>& shares) : shares_(shares) {}
  const Resource& of(QueueId queue) { return slot(queue); }
  void leave(QueueId queue, const Amounts& request) { slot(queue).subtract(Resource(request)); }

 private:
  Resource& slot(QueueId queue);
  const IdVector<QueueId, QueueShare>& shares_;
  std::vector<std::pair<QueueId, Resource>> held_;  // of the few queues that were asked for
};

// Whether what is held and asked for stays within the limit, in every dimension that is asked for. No tolerance; pods do not count.
bool within(const Resource& limit, const Resource& held, const Amounts& request);

// What all queues are guaranteed together.
Resource total_guarantee(const Cluster& cluster);

// The limit that a queue of a flat cluster names. What of CPU and memory it does not name is not limited; naming nothing, it has no
// limit.
std::optional<Resource> flat_limit(const QueueInfo& queue);

// What a queue of a flat cluster may hold at most: what others are not guaranteed, within its own limit. A limit of nothing is
// none.
Resource flat_capability(const Resource& unguaranteed, const QueueInfo& queue);

}  // namespace muster::volcano
