// KAI's cluster and gangs whose binds are refused or fail.

#include <algorithm>
#include <functional>

#include "daemon/kai_cluster.h"
#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr kai::StatusSet kHasPlace{kai::Status::kBinding, kai::Status::kBound, kai::Status::kRunning};

// As SubGroups::satisfied(), by how many places each PodSet would have.
bool satisfied_by(const kai::SubGroups& groups, kai::SubGroupId id,
                  const std::function<std::int64_t(const kai::SubGroup&)>& places) {
  const auto& part = groups[id];
  if (part.is_pod_set) return places(part) >= part.minimum;
  return std::ranges::count_if(part.children, [&](auto child) { return satisfied_by(groups, child, places); }) >= part.minimum;
}

}  // namespace

std::string KaiCluster::gang_of(const Pod& pod) const {
  const auto name = pod.meta.annotations.get("pod-group-name");
  return name.empty() ? std::string() : pod.meta.ns + "/" + std::string(name);
}

// As with stale gangs, one that has a pod that succeeded lacks nothing.
bool KaiCluster::lacks_pods(const kube::Identity& member, const std::set<std::string>& without) const {
  const auto& cluster = scheduler_->cluster();
  const auto pod = cluster.find_pod(key_of(member));
  if (!pod || !cluster.books().pod(pod).group) return false;
  const auto& job = cluster.job_of(pod);
  if (job.count(kai::Status::kSucceeded) > 0) return false;
  if (without.empty()) return !job.groups.satisfied(job.groups.root());
  return !satisfied_by(job.groups, job.groups.root(), [&](const kai::SubGroup& part) {
    return std::ranges::count_if(part.pods, [&](PodId one) {
      return kai::kActiveAllocated.contains(cluster.task(one).status) && !without.contains(cluster.books().pod(one).uid);
    });
  });
}

bool KaiCluster::holds_room(const kube::Identity& pod) const {
  const auto& cluster = scheduler_->cluster();
  const auto found = cluster.find_pod(key_of(pod));
  return found && cluster.books().pod(found).uid == pod.uid && kHasPlace.contains(cluster.task(found).status);
}

// Directly, as stalegangeviction does, which would do the same after its own, longer time.
void KaiCluster::evict_given_up(kai::Session& session) const {
  if (with_evictions_) return;
  for (const auto& gang : given_up_)
    for (const auto& member : gang.pods)
      if (holds_room(member)) session.evict_now(session.cluster().find_pod(key_of(member)), kIncompleteGangRule);
}

}  // namespace muster::daemon
