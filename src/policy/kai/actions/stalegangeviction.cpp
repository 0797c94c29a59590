#include "policy/kai/actions/stalegangeviction.h"

#include "policy/kai/session.h"

namespace muster::kai {
namespace {

std::int64_t elapsed(Timestamp since, Timestamp now) { return (now.seconds - since.seconds) * kSecond + (now.nanos - since.nanos); }

void handle_stale(Session& session, Job& job) {
  if (!job.stamps.stale_since) job.stamps.stale_since = session.now();
  const auto grace = job.staleness_grace.value_or(session.cluster().options().staleness_grace);
  if (grace < 0 || elapsed(*job.stamps.stale_since, session.now()) < grace) return;
  job.stale = true;
  std::vector<PodId> to_evict;
  job.for_each_pod([&](PodId pod) {
    if (kActiveAllocated.contains(session.cluster().task(pod).status)) to_evict.push_back(pod);
  });
  for (const auto pod : to_evict) session.evict_now(pod, "stalegangeviction");
}

}  // namespace

void evict_stale_gangs(Session& session) {
  auto& cluster = session.cluster();
  for (const auto id : cluster.listed_jobs()) {
    if (!cluster.watch().may_be_stale(id)) continue;
    auto& job = cluster.job(id);
    if (job.is_stale()) {
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
