#pragma once

#include "base/strong_id.h"
#include "policy/volcano/cluster.h"
#include "policy/volcano/config.h"
#include "policy/volcano/device_quota.h"

namespace muster::volcano {

// The devices of resource claims that queues hold during a cycle, against the limits that they name. Costs nothing where no queue
// names any or no pod claims any.
class QueueDevices {
 public:
  explicit QueueDevices(const PluginOption& option);

  // Counts what the pods of each queue hold. `above` gives a queue's parent, none where there is none.
  template <class Above>
  void open(const Cluster& cluster, Above above) {
    if (!start(cluster)) return;
    for (const auto& [pod, queue] : holders())
      if (const auto fresh = quotas_[queue].add(device_demand(*cluster_, pod)); !fresh.empty())
        for (auto at = above(queue); at; at = above(at)) quotas_[at].add_from_below(fresh);
  }

  // Whether the job asks for devices and its queue counts them.
  bool concern(const Job& job) const;
  // The questions about one queue on the way up.
  bool has_room(QueueId queue, PodId pod) const;
  bool admits(QueueId queue, const Job& job) const;

  void let_in(QueueId queue, const Job& job);
  void hold(QueueId queue, PodId pod);
  void release(QueueId queue, PodId pod);

 private:
  bool start(const Cluster& cluster);
  std::vector<std::pair<PodId, QueueId>> holders() const;
  bool counts(QueueId queue) const { return quotas_.contains(queue) && quotas_[queue].counts(); }

  bool enabled_;
  DeviceQuota::Capacity capacity_;
  const Cluster* cluster_ = nullptr;
  IdVector<QueueId, DeviceQuota> quotas_;  // empty: there is nothing to count
};

}  // namespace muster::volcano
