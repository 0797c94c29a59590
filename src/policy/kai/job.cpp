#include "policy/kai/job.h"

#include <algorithm>
#include <array>

namespace muster::kai {

std::string_view name_of(FitReason reason) {
  constexpr std::array<std::string_view, 6> kNames = {
      "OverLimit",         "NonPreemptibleOverQuota", "PreemptionDelayNotElapsed",
      "QueueDoesNotExist", "PodSchedulingErrors",     "Not enough resources for the workload"};
  return kNames[static_cast<std::size_t>(reason)];
}

void JobSums::add(const JobSums& other, std::int64_t sign) {
  cpu += sign * other.cpu;
  memory += sign * other.memory;
  gpu_hundredths += sign * other.gpu_hundredths;
  gpu_mib += sign * other.gpu_mib;
}

Quantities JobSums::quantities() const {
  constexpr double kHundredths = 100;
  return {{static_cast<double>(cpu), static_cast<double>(memory), static_cast<double>(gpu_hundredths) / kHundredths}};
}

std::uint32_t Job::count(Status status) const {
  std::uint32_t total = 0;
  for (const auto pod_set : groups.pod_sets()) total += groups[pod_set].in(status);
  return total;
}

std::uint32_t Job::count(const StatusSet& statuses) const {
  std::uint32_t total = 0;
  for (const auto pod_set : groups.pod_sets()) {
    const auto& counts = groups[pod_set].count;
    for (std::size_t status = 0; status < kStatuses; ++status)
      total += statuses.contains(static_cast<Status>(status)) ? counts[status] : 0;
  }
  return total;
}

bool Job::is_stale() const {
  if (count(Status::kSucceeded) > 0 || count(kActiveUsed) == 0) return false;
  const auto& sets = groups.pod_sets();
  return std::any_of(sets.begin(), sets.end(), [&](SubGroupId pod_set) {
    return static_cast<std::int64_t>(groups[pod_set].active_used) < groups[pod_set].minimum;
  });
}

bool Job::elastic() const {
  const auto& sets = groups.pod_sets();
  return std::any_of(sets.begin(), sets.end(), [&](SubGroupId pod_set) {
    return groups[pod_set].minimum < static_cast<std::int64_t>(groups[pod_set].pods.size());
  });
}

bool Job::is_gang() const {
  const auto& sets = groups.pod_sets();
  return std::any_of(sets.begin(), sets.end(), [&](SubGroupId which) { return part(which).minimum > 1; });
}

}  // namespace muster::kai
