// Volcano's cluster and gangs whose binds are refused.

#include <algorithm>
#include <map>
#include <vector>

#include "daemon/object_key.h"
#include "daemon/volcano_cluster.h"
#include "policy/volcano/pod_intake.h"
#include "policy/volcano/statement.h"

namespace muster::daemon {
namespace {

constexpr PodStates kHasNode{PodState::kBinding, PodState::kBound, PodState::kRunning};

bool is_placed(const PodRecord& pod, const std::set<std::string>& without) {
  return (kHoldingStates.contains(pod.state) || pod.state == PodState::kSucceeded) && !without.contains(pod.uid);
}

// Whether enough sub-jobs of every policy are ready without so many of their pods.
bool sub_jobs_ready_without(const volcano::SubJobs& sub_jobs, const std::map<volcano::SubJobId, std::int64_t>& lost) {
  std::vector<std::int32_t> ready(sub_jobs.groups().size());
  for (const auto& part : sub_jobs.all()) {
    const auto gone = lost.find(part.id);
    const auto left = part.ready() - (gone == lost.end() ? 0 : gone->second);
    if (left + part.waiting_best_effort >= part.min_available) ++ready[part.group];
  }
  for (std::size_t i = 0; i < ready.size(); ++i)
    if (ready[i] < sub_jobs.groups()[i].minimum) return false;
  return true;
}

}  // namespace

std::string VolcanoCluster::gang_of(const Pod& pod) const {
  const auto name = volcano::group_name_of(pod);
  return name.empty() ? std::string() : pod.meta.ns + "/" + std::string(name);
}

// Pods that ask for nothing count as in JobCounts.
bool VolcanoCluster::lacks_pods(const kube::Identity& member, const std::set<std::string>& without) const {
  const auto& cluster = scheduler_->cluster();
  const auto& books = cluster.books();
  const auto pod = cluster.find_pod(key_of(member));
  if (!pod || !books.pod(pod).group) return false;
  const auto& job = cluster.job(books.pod(pod).group);
  const volcano::JobCounts all(books, job);
  if (!all.is_ready() || !all.roles_ready() || !all.sub_jobs_ready()) return true;
  std::int64_t ready = job.waiting_best_effort;
  std::map<SymbolId, std::int64_t> lost;  // by role
  std::map<volcano::SubJobId, std::int64_t> lost_parts;
  for (const auto one : books.group(job.id).pods) {
    if (is_placed(books.pod(one), without)) ++ready;
    if (!is_placed(books.pod(one), {}) || !without.contains(books.pod(one).uid)) continue;
    ++lost[books.pod(one).role];
    if (job.sub_jobs) ++lost_parts[job.sub_jobs->of(one)];
  }
  if (ready < job.min_available) return true;
  if (job.sub_jobs && !sub_jobs_ready_without(*job.sub_jobs, lost_parts)) return true;
  return all.roles_matter() && std::ranges::any_of(job.roles, [&](const volcano::Role& role) {
           return volcano::role_ready(role) - lost[role.name] < role.minimum;
         });
}

bool VolcanoCluster::holds_room(const kube::Identity& pod) const {
  const auto& cluster = scheduler_->cluster();
  const auto found = cluster.find_pod(key_of(pod));
  if (!found) return false;
  const auto& record = cluster.books().pod(found);
  return record.uid == pod.uid && kHasNode.contains(record.state);
}

void VolcanoCluster::evict_given_up(volcano::Session& session) const {
  if (with_evictions_) return;
  volcano::Statement statement(session);
  for (const auto& gang : given_up_)
    for (const auto& member : gang.pods)
      if (holds_room(member)) statement.evict(session.cluster().find_pod(key_of(member)), kIncompleteGangRule, {});
  if (!statement.empty()) statement.commit(kIncompleteGangRule);
}

}  // namespace muster::daemon
