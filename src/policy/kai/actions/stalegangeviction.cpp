#include "policy/kai/actions/stalegangeviction.h"

#include "policy/kai/session.h"

namespace muster::kai {
namespace {

void handle_stale(Session& session, Job& job) {
  if (!job.stamps.stale_since) job.stamps.stale_since = session.now();
  const auto grace = job.staleness_grace.value_or(session.cluster().options().staleness_grace);
  if (grace < 0 || nanos_between(*job.stamps.stale_since, session.now()) < grace) return;
  job.stale = true;
  std::vector<PodId> to_evict;
  job.for_each_pod([&](PodId pod) {
    if (kActiveAllocated.contains(session.cluster().task(pod).status)) to_evict.push_back(pod);
  });
  for (const auto pod : to_evict) session.evict_now(pod, "stalegangeviction");
}

// Whether it runs with fewer pods than it needs, of every PodSet or of as many members as it says.
bool is_stale(const Session& session, const Job& job) {
  return job.is_stale() && (session.keeps(Quirk::kIgnoredMinSubGroup) || !job.groups.satisfied(job.groups.root()));
}

}  // namespace

void evict_stale_gangs(Session& session) {
  auto& cluster = session.cluster();
  for (const auto id : cluster.listed_jobs()) {
    if (!cluster.watch().may_be_stale(id)) continue;
    auto& job = cluster.job(id);
    if (is_stale(session, job)) {
      cluster.watch().note(id);
      handle_stale(session, job);
      continue;
    }
    if (job.stamps.stale_since) {
      cluster.watch().note(id);
      job.stamps.stale_since.reset();
      job.stale = false;
    }
    cluster.watch().is_not_stale(id);
  }
}

}  // namespace muster::kai
