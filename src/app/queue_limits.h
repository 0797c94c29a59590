#pragma once

#include <optional>

#include "policy/volcano/plugins/capacity.h"
#include "policy/volcano/plugins/proportion.h"
#include "policy/volcano/session.h"

namespace muster {

// A queue that has too little room for what a job asks for, and the first resource of which that is so.
struct FullQueue {
  QueueId queue;
  ResourceId resource;
  double most = 0;  // it may hold
  double held = 0;
};

// What the plugin that limits queues counts, as it stands after the actions of a cycle; capacity or proportion, or none of them.
class QueueLimits {
 public:
  explicit QueueLimits(volcano::Session& session);

  bool exist() const { return proportion_ != nullptr || capacity_ != nullptr; }
  const volcano::Capacity* capacity() const { return capacity_; }
  const volcano::Proportion* proportion() const { return proportion_; }
  // Only where there are limits.
  const volcano::QueueShare& share_of(QueueId queue) const;
  QueueId above(QueueId queue) const;  // none: at the root, or queues are flat

  // The first queue on the way up that this much more would take past a limit that leaves it less than the whole cluster: no node
  // that becomes free helps against that.
  std::optional<FullQueue> narrower_than_cluster(QueueId queue, const Amounts& more) const;
  // The first one that had no room for this much more as long as the pods were there that this cycle has evicted.
  std::optional<FullQueue> full_before_evictions(QueueId queue, const Amounts& more) const;

  // What counted for the queue when jobs were let in: held at the start of the cycle, or promised since.
  double taken_or_promised(QueueId queue, ResourceId resource) const;
  // Whether something is guaranteed to others than the queue and those above it.
  bool guarantees_to_others(QueueId queue, ResourceId resource) const;

 private:
  bool is_within(QueueId queue, QueueId ancestor) const;
  void sum_up();

  const volcano::Session& session_;
  const volcano::Proportion* proportion_;
  const volcano::Capacity* capacity_;
  // What the pods of a queue, and of those below it, were given in this cycle, and what was taken from them.
  IdVector<QueueId, Amounts> placed_, evicted_;
};

}  // namespace muster
