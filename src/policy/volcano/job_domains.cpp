#include "policy/volcano/job_domains.h"

#include <algorithm>

namespace muster::volcano {
namespace {

// The lowest domain that holds every placed pod of a sub-job; none when there is no such pod.
HyperNodeId domain_of(const Cluster& cluster, const SubJob& sub_job) {
  const auto& tree = cluster.hyper_tree();
  std::optional<std::vector<HyperNodeId>> holders;
  for (const auto pod : sub_job.pods) {
    const auto& record = cluster.books().pod(pod);
    if (!kHoldingStates.contains(record.state) || !record.node) continue;
    if (!holders)
      holders = tree.holders(record.node);
    else
      std::erase_if(*holders, [&](HyperNodeId domain) { return !tree.contains(domain, record.node); });
  }
  return !holders || holders->empty() ? HyperNodeId() : holders->front();
}

void forget_left_domains(const HyperTree& tree, SubJobs& sub_jobs) {
  std::int64_t holding = 0;
  for (auto& sub_job : sub_jobs.all()) {
    holding += sub_job.holding();
    if (!tree.exists(sub_job.allocated) || sub_job.holding() == 0) sub_job.allocated = HyperNodeId();
  }
  if (!tree.exists(sub_jobs.allocated) || holding == 0) sub_jobs.allocated = HyperNodeId();
}

void find_domains(const Cluster& cluster, SubJobs& sub_jobs) {
  bool found = false;
  for (auto& sub_job : sub_jobs.all()) {
    if (!sub_job.closeness.wanted || sub_job.allocated) continue;
    sub_job.allocated = domain_of(cluster, sub_job);
    found |= static_cast<bool>(sub_job.allocated);
  }
  if (sub_jobs.allocated && !found) return;
  sub_jobs.allocated = HyperNodeId();
  for (const auto& sub_job : sub_jobs.all())
    sub_jobs.allocated = cluster.hyper_tree().common(sub_jobs.allocated, sub_job.allocated);
}

}  // namespace

void refresh_domains(Cluster& cluster) {
  const auto& tree = cluster.hyper_tree();
  for (const auto id : cluster.divided_jobs()) {
    auto& job = cluster.job(id);
    if (!job.schedulable() || !cluster.open_jobs().test(id.index())) continue;
    job.sub_jobs->resolve(tree);
    if (!tree.ready()) continue;
    forget_left_domains(tree, *job.sub_jobs);
    if (job.sub_jobs->wants_closeness()) find_domains(cluster, *job.sub_jobs);
  }
}

}  // namespace muster::volcano
