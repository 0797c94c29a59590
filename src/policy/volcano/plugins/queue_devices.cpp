#include "policy/volcano/plugins/queue_devices.h"

#include <algorithm>

namespace muster::volcano {

QueueDevices::QueueDevices(const PluginOption& option)
    : enabled_(option.arguments.get_bool("capacity.DynamicResourceAllocationEnable", true)),
      capacity_(option.arguments.get_bool("capacity.DRAConsumableCapacityEnable", true) ? DeviceQuota::Capacity::kCounted
                                                                                        : DeviceQuota::Capacity::kIgnored) {}

bool QueueDevices::start(const Cluster& cluster) {
  cluster_ = &cluster;
  if (!enabled_ || cluster.devices().pods().empty()) return false;
  quotas_.resize(cluster.queue_count());
  bool any = false;
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    quotas_[id] = cluster.queue(id).devices;
    any |= quotas_[id].counts();
  }
  if (!any) quotas_.clear();
  return any;
}

std::vector<std::pair<PodId, QueueId>> QueueDevices::holders() const {
  std::vector<std::pair<PodId, QueueId>> pods;
  for (const auto& [pod, claims] : cluster_->devices().pods()) {
    const auto& record = cluster_->books().pod(pod);
    if (!record.group || !kHoldingStates.contains(record.state)) continue;
    const auto& job = cluster_->job(record.group);
    if (job.schedulable() && counts(job.queue)) pods.emplace_back(pod, job.queue);
  }
  std::sort(pods.begin(), pods.end());
  return pods;
}

bool QueueDevices::concern(const Job& job) const { return counts(job.queue) && !minimum_device_demand(*cluster_, job).empty(); }

bool QueueDevices::has_room(QueueId queue, PodId pod) const {
  return !counts(queue) || quotas_[queue].allows(device_demand(*cluster_, pod), capacity_);
}

bool QueueDevices::admits(QueueId queue, const Job& job) const {
  return !counts(queue) || quotas_[queue].admits(minimum_device_demand(*cluster_, job), capacity_);
}

// Jobs of a queue that does not count devices are not counted above it either.
void QueueDevices::let_in(QueueId queue, const Job& job) {
  if (counts(job.queue) && counts(queue)) quotas_[queue].promise(minimum_device_demand(*cluster_, job));
}

void QueueDevices::hold(QueueId queue, PodId pod) {
  if (counts(queue) && cluster_->devices().has_claims(pod)) quotas_[queue].add(device_demand(*cluster_, pod));
}

void QueueDevices::release(QueueId queue, PodId pod) {
  if (counts(queue) && cluster_->devices().has_claims(pod)) quotas_[queue].remove(device_demand(*cluster_, pod));
}

}  // namespace muster::volcano
