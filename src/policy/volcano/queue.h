#pragma once

#include <optional>
#include <string>

#include "engine/amounts.h"
#include "model/objects.h"
#include "policy/volcano/device_quota.h"
#include "policy/volcano/resource.h"

namespace muster::volcano {

// Sums over the jobs of a queue that queue plugins start from.
struct JobSums {
  QueueId queue;          // none: the job counts nowhere
  Amounts allocated;      // held by pods
  Amounts request;        // held or asked for by pending pods
  Amounts inqueue;        // promised to jobs that were let in and do not hold it yet
  Amounts elastic;        // held beyond the jobs' minimum
  Amounts overcommitted;  // promised as the overcommit plugin counts it

  void add(const JobSums& other);
  void subtract(const JobSums& other);
};

struct QueueInfo {
  std::string name;
  bool known = false;  // its object exists
  std::string uid;
  Timestamp created;
  StringMap annotations;
  std::int32_t weight = 0;
  std::int32_t priority = 0;
  std::string parent;
  bool open = false;
  std::optional<bool> reclaimable;
  Resource capability;
  Resource deserved;
  Resource guarantee;
  DeviceQuota devices;  // the limits; who holds what is counted in each cycle
  std::optional<NodeGroupAffinity> affinity;
  std::optional<NodeGroupAffinity> anti_affinity;
  bool has_affinity = false;
  std::optional<ResourceList> allocated;  // status.allocated as last written

  JobSums sums;
  std::size_t jobs = 0;  // schedulable jobs
};

}  // namespace muster::volcano
