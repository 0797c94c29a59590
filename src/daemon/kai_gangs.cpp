// KAI's cluster and gangs whose binds are refused or fail.

#include <algorithm>
#include <map>

#include "daemon/kai_cluster.h"
#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr kai::StatusSet kHasPlace{kai::Status::kBinding, kai::Status::kBound, kai::Status::kRunning};

using Places = std::map<kai::SubGroupId, std::int64_t>;  // that the pods of each PodSet have

// As SubGroups::satisfied().
bool satisfied_by(const kai::SubGroups& groups, kai::SubGroupId id, const Places& places) {
  const auto& part = groups[id];
  if (!part.is_pod_set)
    return std::ranges::count_if(part.children, [&](auto child) { return satisfied_by(groups, child, places); }) >= part.minimum;
  const auto found = places.find(id);
  return (found == places.end() ? 0 : found->second) >= part.minimum;
}

}  // namespace

std::string KaiCluster::gang_of(const Pod& pod) const {
  const auto name = pod.meta.annotations.get("pod-group-name");
  return name.empty() ? std::string() : pod.meta.ns + "/" + std::string(name);
}

// As with stale gangs, one that has a pod that succeeded lacks nothing. Between cycles, when this is asked, the counts of the job
// are without the pods of which there are news.
bool KaiCluster::lacks_pods(const kube::Identity& member, const std::set<std::string>& without) const {
  const auto& cluster = scheduler_->cluster();
  const auto pod = cluster.find_pod(key_of(member));
  if (!pod || !cluster.books().pod(pod).group) return false;
  const auto& groups = cluster.job_of(pod).groups;
  Places places;
  for (const auto one : cluster.books().group(cluster.books().pod(pod).group).pods) {
    const auto status = cluster.outside_status(one);
    if (status == kai::Status::kSucceeded) return false;
    if (!kai::kActiveAllocated.contains(status) || without.contains(cluster.books().pod(one).uid)) continue;
    if (const auto part = groups.find_pod_set(cluster.task(one).sub_group)) ++places[part];
  }
  return !satisfied_by(groups, groups.root(), places);
}

bool KaiCluster::holds_room(const kube::Identity& pod) const {
  const auto& cluster = scheduler_->cluster();
  const auto found = cluster.find_pod(key_of(pod));
  return found && cluster.books().pod(found).uid == pod.uid && kHasPlace.contains(cluster.outside_status(found));
}

// Directly, as stalegangeviction does, which would do the same after its own, longer time.
void KaiCluster::evict_given_up(kai::Session& session) const {
  if (with_evictions_) return;
  const auto& cluster = session.cluster();
  for (const auto& gang : given_up_)
    for (const auto& member : gang.pods)
      if (const auto pod = cluster.find_pod(key_of(member)); holds_room(member) && kHasPlace.contains(cluster.task(pod).status))
        session.evict_now(pod, kIncompleteGangRule);
}

}  // namespace muster::daemon
